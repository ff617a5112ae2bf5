/** An answer, before the listener writes it. */

export interface AppAnswer {
  readonly status: number
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, unless `content-type` is among the headers; a long one as pieces of its UTF-8; undefined where there is none, as for 304. */
  readonly body: string | readonly Uint8Array[] | undefined
}

export const jsonType = "application/json"
