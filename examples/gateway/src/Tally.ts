/** What a request used: as the upstream says, or, where it went away before it could, at least what came through here. */
import type { TokenUsage } from "@gatewarden/core"
import { countOf, type Dialect, type Fields, fieldOf, filledIn } from "./dialects/Dialect.ts"

const bytesPerToken = 4

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

/** How many tokens all choices of an answer may have, of which each may have `cap`; `null`: any number. */
export const tokensOfChoices = (cap: number | null, sent: unknown): number =>
  (cap ?? Infinity) * (countOf(fieldOf(sent, "n")) || 1)

const longestReason = 256

/** PostgreSQL keeps neither U+0000 nor a half of a character, and an upstream may say anything. */
const storable = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text.replaceAll("\0", "").slice(0, longestReason)).toString()

/** What was read and written, and of the written what was thought. */
export type Used = TokenUsage & {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number | null
}

/** Counts of nothing are none: what was counted or estimated before them stays. */
const counting = (report: Partial<Used>): Partial<Used> | undefined =>
  (report.prompt_tokens ?? 0) + (report.completion_tokens ?? 0) > 0 ? report : undefined

export class Tally {
  #reported: Partial<Used> = {}
  #sentBytes: number | undefined
  /** Estimated, of what came after the upstream's last count. */
  #written = 0
  /** Of that, the parts that have ended. */
  #ended = 0
  /** Whether audio or an image came after the upstream's last count. */
  #hasMedia = false
  /** Searches that parts of the answer tell of. */
  #searched = 0
  /** Whether any text came, counted or not. */
  #hasText = false
  #isBroken = false
  /** No estimate is above it: it is what was held. */
  #most = Infinity
  #first_ms: number | undefined
  #finish_reason: string | null = null
  readonly #dialect: Dialect
  readonly #sent: unknown
  readonly #created_at = new Date().toISOString()
  readonly #started = performance.now()

  /** `sent`: what the model was given to read. */
  constructor(dialect: Dialect, sent: unknown) {
    this.#dialect = dialect
    this.#sent = sent
  }

  /** How many tokens each choice may have; `null`: any number. */
  grant(cap: number | null): void {
    this.#most = tokensOfChoices(cap, this.#sent)
  }

  /** A chunk of an answer. */
  addChunk(chunk: Fields): void {
    this.#first_ms ??= performance.now() - this.#started
    this.add(chunk)
  }

  /** A whole answer, of which nobody knows when its first token came. */
  add(said: Fields): void {
    const { reported, written, ended, searched, hasMedia, finished } = this.#dialect
    this.#searched += searched?.(said) ?? 0
    const report = counting(filledIn(reported(said, this.#reported) ?? {}, () => this.#held))
    if (report !== undefined) {
      const most = Math.max(this.#reported.completion_tokens ?? 0, report.completion_tokens ?? 0)
      this.#reported = { ...this.#reported, ...report, ...(most > 0 ? { completion_tokens: most } : {}) }
    }
    this.#finish_reason = storable(finished(said)) ?? this.#finish_reason
    const text = tokensOf(written(said))
    const whole = tokensOf(ended?.(said) ?? "")
    this.#hasText ||= text + whole > 0
    const counted = report?.completion_tokens
    // None, of a text that came, is no count.
    if (counted === undefined || (counted === 0 && this.#hasText)) {
      this.#ended += whole
      this.#written = Math.max(this.#written + text, this.#ended)
      this.#hasMedia ||= hasMedia(said)
    } else {
      this.#ended = 0
      this.#written = 0
      this.#hasMedia = false
    }
  }

  /** Its end did not come, and no failure either. */
  breakOff(): void {
    this.#isBroken = true
  }

  /** Tokens of the prompt, as they were held: no tokenizer makes more than a token of a byte. */
  get #held(): number {
    // Any chunk may ask, and there may be very many.
    return (this.#sentBytes ??= Buffer.byteLength(JSON.stringify(this.#sent)))
  }

  /** What the client is told: counts that are left to the hold as they were held. */
  get usage(): Used {
    const { prompt_tokens, completion_tokens, reasoning_tokens = null, ...used } = this.settled
    return {
      prompt_tokens: prompt_tokens ?? this.#held,
      completion_tokens: completion_tokens ?? (this.#most === Infinity ? this.#counted : this.#most),
      reasoning_tokens,
      ...used
    }
  }

  /**
   * What is settled: the upstream's last count, and an estimate of the text that came after it. A prompt that was not counted is left out,
   * which charges it as it was held. So is a completion with audio or images after the last count, unless the count is all that was held, and
   * one that was cut, or broke off, before any text: the model may have thought all that time.
   * Rule: money#cost-of-usage.
   */
  get settled(): Partial<Used> {
    const { completion_tokens: _, ...read } = this.#withSearches
    const completion_tokens = this.#counted
    const isCut = this.#finish_reason === "length" && completion_tokens === 0
    const isUnknown = this.#hasMedia || (!this.#hasText && (isCut || (this.#isBroken && this.#finish_reason === null)))
    return isUnknown && completion_tokens < this.#most ? read : { completion_tokens, ...read }
  }

  /** Searches that are not counted are left to the hold; fewer than came are not believed. */
  get #withSearches(): Partial<Used> {
    const { server_tool_use } = this.#reported
    const counted = server_tool_use?.web_search_requests
    if (counted == null || counted >= this.#searched) return this.#reported
    return { ...this.#reported, server_tool_use: { ...server_tool_use, web_search_requests: this.#searched } }
  }

  /** Tokens of the completion: counted, and by the estimate of texts. */
  get #counted(): number {
    const { completion_tokens = 0 } = this.#reported
    return Math.max(completion_tokens, Math.min(completion_tokens + this.#written, this.#most))
  }

  /** Fields of a usage event, which ends `latency_ms` and `generation_ms` after `created_at`. */
  get timing() {
    const latency_ms = this.#first_ms ?? null
    const generation_ms = performance.now() - this.#started - (latency_ms ?? 0)
    return { created_at: this.#created_at, latency_ms, generation_ms, finish_reason: this.#finish_reason }
  }
}
