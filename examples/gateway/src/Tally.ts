/** What a request used: as the upstream says, or, where it went away before it could, at least what came through here. */
import type { TokenUsage } from "@gatewarden/core"

const bytesPerToken = 4

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

const fieldOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value
  )

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** What was read and written, and of the written what was thought. */
export type Used = TokenUsage & {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number | null
}

const usageIn = (answer: unknown): Used | undefined => {
  const usage = fieldOf(answer, "usage")
  const prompt_tokens = countOf(fieldOf(usage, "prompt_tokens"))
  const completion_tokens = countOf(fieldOf(usage, "completion_tokens"))
  if (prompt_tokens === undefined || completion_tokens === undefined) return undefined
  const detail = (of: "prompt" | "completion", name: string): number | null =>
    countOf(fieldOf(usage, `${of}_tokens_details`, name)) ?? null
  return {
    prompt_tokens,
    completion_tokens,
    cached_tokens: detail("prompt", "cached_tokens"),
    cache_write_tokens: detail("prompt", "cache_write_tokens"),
    reasoning_tokens: detail("completion", "reasoning_tokens"),
    prompt_tokens_details: {
      cache_write_1h_tokens: detail("prompt", "cache_write_1h_tokens"),
      audio_tokens: detail("prompt", "audio_tokens"),
      cached_audio_tokens: detail("prompt", "cached_audio_tokens"),
      image_tokens: detail("prompt", "image_tokens")
    },
    completion_tokens_details: {
      audio_tokens: detail("completion", "audio_tokens"),
      image_tokens: detail("completion", "image_tokens")
    },
    server_tool_use: {
      web_search_requests: countOf(fieldOf(usage, "server_tool_use", "web_search_requests")) ?? null
    }
  }
}

/** Texts that a model wrote, wherever the dialect has them: content, reasoning, refusals, names and arguments of tools. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => (name === "role" || name === "id" ? [] : textsIn(member)))
}

export class Tally {
  #reported: Used | undefined
  #written = 0
  #first_ms: number | undefined
  #finish_reason: string | null = null
  readonly #sent: unknown
  readonly #created_at = new Date().toISOString()
  readonly #started = performance.now()

  /** `sent`: what the model was given to read. */
  constructor(sent: unknown) {
    this.#sent = sent
  }

  /** A chunk of an answer. */
  addChunk(chunk: unknown): void {
    this.#first_ms ??= performance.now() - this.#started
    this.add(chunk)
  }

  /** A whole answer, of which nobody knows when its first token came. */
  add(answer: unknown): void {
    this.#reported = usageIn(answer) ?? this.#reported
    const choices = fieldOf(answer, "choices")
    for (const choice of Array.isArray(choices) ? choices : []) {
      // Nobody asks for an estimate once the upstream has counted.
      if (this.#reported === undefined) {
        const written = [fieldOf(choice, "delta"), fieldOf(choice, "message")].flatMap(textsIn).join("")
        if (written !== "") this.#written += tokensOf(written)
      }
      const reason = fieldOf(choice, "finish_reason")
      if (typeof reason === "string") this.#finish_reason = reason.slice(0, 256)
    }
  }

  get usage(): Used {
    return (
      this.#reported ?? {
        // As it was held: no tokenizer makes more than a token of a byte.
        prompt_tokens: Buffer.byteLength(JSON.stringify(this.#sent)),
        completion_tokens: this.#written,
        cached_tokens: null,
        reasoning_tokens: null
      }
    )
  }

  /** What is settled. Of a stream that broke off only what came through is known: its prompt is charged as it was held. */
  get settled(): TokenUsage {
    return this.#reported ?? { completion_tokens: this.#written }
  }

  /** Whether the upstream counted itself. */
  get isReported(): boolean {
    return this.#reported !== undefined
  }

  /** Fields of a usage event, which ends `latency_ms` and `generation_ms` after `created_at`. */
  get timing() {
    const latency_ms = this.#first_ms ?? null
    const generation_ms = performance.now() - this.#started - (latency_ms ?? 0)
    return { created_at: this.#created_at, latency_ms, generation_ms, finish_reason: this.#finish_reason }
  }
}
