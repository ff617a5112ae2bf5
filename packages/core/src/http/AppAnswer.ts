/** An answer, before the listener writes it. */

export interface AppAnswer {
  readonly status: number
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * JSON, unless `content-type` is among the headers; a long one as pieces of its UTF-8; a content as a stream, which whoever gets the
   * answer reads to its end or cancels; undefined where there is none, as for 304.
   */
  readonly body: string | readonly Uint8Array[] | ReadableStream<Uint8Array> | undefined
  /** Ends the counting of a long answer in memory. The listener calls it when the client has read the answer, or is gone. */
  readonly release?: (() => void) | undefined
}

/** Gives up what an answer has not sent yet, for whoever does not write it. */
export const discardAnswer = ({ body, release }: AppAnswer): void => {
  release?.()
  if (body instanceof ReadableStream) void body.cancel().catch(() => {})
}

export const jsonType = "application/json"
