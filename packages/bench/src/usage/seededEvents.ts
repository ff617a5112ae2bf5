/**
 * Usage of an installation that grew for months: the same events for the same seed, on every machine.
 *
 * Few models, keys and users have most of the requests (Zipf's law), more of them by day than by night. Ids and hashes are as random as real
 * ones, since they are most of what an event takes on disk.
 */
import type { UsageEvent } from "@gatewarden/core/store"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"

export interface SeededUsage {
  readonly events: number
  /** The end of the last day, in epoch milliseconds. */
  readonly end: number
  readonly days?: number
  readonly seed?: number
}

export const seededAccount = "5eed0000-0000-4000-8000-000000000001"
const workspaces = [2, 3, 4].map((n) => `5eed0000-0000-4000-8000-00000000000${n}`)
const counts = { models: 60, keys: 400, users: 250, apps: 30, external: 20_000 }
const providers = ["openai", "anthropic", "google", "mistral", "deepseek", "together"]
const countries = ["US", "DE", "FR", "GB", "JP", "IN", "BR", "CA"]
const dayMillis = 86_400_000

/** A generator of numbers below 1: mulberry32. */
const numbersFrom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The shares of so many names, summed up: the n-th has a share of 1 / n. */
const zipf = (names: number): Float64Array => {
  const sums = new Float64Array(names)
  let sum = 0
  for (let n = 0; n < names; n++) sums[n] = sum += 1 / (n + 1)
  return sums.map((part) => part / sum)
}

const placeIn = (sums: Float64Array, at: number): number => {
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 1) < at) low = middle + 1
    else high = middle
  }
  return low
}

const hex = (next: () => number, digits: number): string => {
  let text = ""
  while (text.length < digits)
    text += Math.floor(next() * 4_294_967_296)
      .toString(16)
      .padStart(8, "0")
  return text.slice(0, digits)
}

/** Where in a day requests fall: twice as many at its peak, in the afternoon, as on average. */
const timeOfDay = (at: number): number => at - Math.sin(2 * Math.PI * at) / (2 * Math.PI) / 1.2

/** Events in chronological order, in chunks. */
export function* seededEvents(
  { events, end, days = 120, seed = 1 }: SeededUsage,
  chunk = 1_000
): Generator<UsageEvent[]> {
  const next = numbersFrom(seed)
  const shares = Object.fromEntries(Object.entries(counts).map(([name, many]) => [name, zipf(many)])) as Record<
    keyof typeof counts,
    Float64Array
  >
  const pick = (name: keyof typeof counts) => placeIn(shares[name], next())
  const keys = Array.from({ length: counts.keys }, () => hex(next, 64))
  const sessions = Array.from({ length: 500 }, () => `sess_${hex(next, 24)}`)
  const begin = end - days * dayMillis
  let made: UsageEvent[] = []
  for (let n = 0; n < events; n++) {
    const place = ((n + next()) / events) * days
    const day = Math.floor(place)
    const at = Math.floor(begin + (day + timeOfDay(place - day)) * dayMillis)
    const created_at = new Date(at).toISOString()
    const model = pick("models")
    const key = pick("keys")
    const provider = providers[(model + (next() < 0.2 ? 1 : 0)) % providers.length] ?? ""
    const dice = next()
    const status =
      dice < 0.95
        ? "ok"
        : dice < 0.97
          ? "error"
          : dice < 0.985
            ? "rate_limited"
            : dice < 0.995
              ? "cancelled"
              : "blocked"
    const prompt_tokens = Math.floor(Math.exp(4 + next() * 6))
    const completion_tokens = status === "ok" ? Math.floor(Math.exp(2 + next() * 5.5)) : 0
    const latency_ms = status === "ok" ? Math.round(Math.exp(5 + next() * 3) * 1_000) / 1_000 : null
    const generation_ms = status === "ok" ? Math.round(completion_tokens * (8 + next() * 20) * 1_000) / 1_000 : null
    const byok = key % 10 === 3
    const nanos = BigInt(prompt_tokens * (200 + model * 40) + completion_tokens * (900 + model * 150))
    const session = Math.floor(next() * sessions.length)
    if (next() < 0.1) sessions[session] = `sess_${hex(next, 24)}`
    const isCached = next() < 0.3
    made.push({
      ...emptyEvent,
      id: `gen-${hex(next, 24)}`,
      workspace_id: workspaces[key % 3] ?? "",
      created_at,
      recorded_at: new Date(at + 500 + Math.floor(next() * 2_000)).toISOString(),
      model: `${providers[model % providers.length] ?? ""}/model-${model}`,
      variant: model % 15 === 7 ? "free" : "",
      provider,
      endpoint_tag: `${provider}/model-${model}`,
      api_key_hash: keys[key] ?? "",
      user_id: `user-${key % counts.users}`,
      external_user: next() < 0.3 ? `customer-${pick("external")}` : null,
      app: `app-${pick("apps")}`,
      country: countries[Math.floor(next() * countries.length)] ?? null,
      session_id: next() < 0.5 ? (sessions[session] ?? null) : null,
      status,
      finish_reason: status === "ok" ? (next() < 0.9 ? "stop" : "tool_calls") : null,
      byok,
      guardrail_invoked: status === "blocked",
      response_cached: next() < 0.02,
      prompt_tokens,
      completion_tokens,
      reasoning_tokens: model % 4 === 0 ? Math.floor(completion_tokens / 2) : 0,
      cached_tokens: isCached ? Math.floor(prompt_tokens * 0.8) : 0,
      context_length_bucket: prompt_tokens <= 1_000 ? "1K" : prompt_tokens <= 10_000 ? "10K" : "100K",
      cost_nanos: byok ? 0n : nanos,
      byok_cost_nanos: byok ? nanos : 0n,
      cost_components: { usage_upstream: nanos },
      latency_ms,
      generation_ms,
      throughput: generation_ms === null || generation_ms === 0 ? null : (completion_tokens * 1_000) / generation_ms,
      input_modalities: ["text"],
      output_modalities: ["text"],
      sample_weight: 1
    })
    if (made.length === chunk) {
      yield made
      made = []
    }
  }
  if (made.length > 0) yield made
}
