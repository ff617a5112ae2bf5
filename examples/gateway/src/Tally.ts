/** What a request used: as the upstream says, or, where it went away before it could, at least what came through here. */
import type { TokenUsage } from "@gatewarden/core"

const bytesPerToken = 4

const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / bytesPerToken)

const fieldOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value
  )

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const usageIn = (answer: unknown) => {
  const usage = fieldOf(answer, "usage")
  const prompt_tokens = countOf(fieldOf(usage, "prompt_tokens"))
  const completion_tokens = countOf(fieldOf(usage, "completion_tokens"))
  if (prompt_tokens === undefined || completion_tokens === undefined) return undefined
  return {
    prompt_tokens,
    completion_tokens,
    cached_tokens: countOf(fieldOf(usage, "prompt_tokens_details", "cached_tokens")) ?? null,
    cache_write_tokens: countOf(fieldOf(usage, "prompt_tokens_details", "cache_write_tokens")) ?? null,
    reasoning_tokens: countOf(fieldOf(usage, "completion_tokens_details", "reasoning_tokens")) ?? null
  }
}

/** Texts that a model wrote, wherever the dialect has them: content, reasoning, refusals, names and arguments of tools. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => (name === "role" || name === "id" ? [] : textsIn(member)))
}

export class Tally {
  #reported: ReturnType<typeof usageIn>
  #written = 0
  #first_ms: number | undefined
  #finish_reason: string | null = null
  readonly #sent: string
  readonly #started = performance.now()

  /** `sent`: what the model was given to read. */
  constructor(sent: unknown) {
    this.#sent = JSON.stringify(sent)
  }

  /** An answer, or a chunk of one. */
  add(answer: unknown): void {
    this.#first_ms ??= performance.now() - this.#started
    this.#reported = usageIn(answer) ?? this.#reported
    const choices = fieldOf(answer, "choices")
    for (const choice of Array.isArray(choices) ? choices : []) {
      const written = [fieldOf(choice, "delta"), fieldOf(choice, "message")].flatMap(textsIn).join("")
      if (written !== "") this.#written += tokensOf(written)
      const reason = fieldOf(choice, "finish_reason")
      if (typeof reason === "string") this.#finish_reason = reason.slice(0, 256)
    }
  }

  get usage(): TokenUsage & { readonly reasoning_tokens: number | null } {
    return (
      this.#reported ?? {
        prompt_tokens: tokensOf(this.#sent),
        completion_tokens: this.#written,
        cached_tokens: null,
        reasoning_tokens: null
      }
    )
  }

  /** Fields of a usage event. */
  get timing() {
    const latency_ms = this.#first_ms ?? null
    const elapsed = performance.now() - this.#started
    return { latency_ms, generation_ms: latency_ms === null ? null : elapsed, finish_reason: this.#finish_reason }
  }
}
