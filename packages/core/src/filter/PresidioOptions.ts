import { type Fetch } from "../platform/Fetch.ts"

/**
 * Where an analyzer of Presidio is, and how it is asked. No Effect type is visible here.
 *
 * An analyzer, for content filters on `person-name` and `address`. It is sent the texts that they look through, so run it where these may go.
 */
export interface PresidioOptions {
  /** Where the analyzer listens, such as `http://127.0.0.1:5002`. */
  readonly url: string
  /** Default: one that reaches public addresses only; an analyzer beside this process needs another. */
  readonly fetch?: Fetch
  /** Sent as a header, where a proxy in front of the analyzer asks for it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: `en`. */
  readonly language?: string
  /** From 0 to 1, default 0.5: what the analyzer is less sure of is left. */
  readonly scoreThreshold?: number
  /** For one text. Default: 2,000. */
  readonly timeoutMillis?: number
}
