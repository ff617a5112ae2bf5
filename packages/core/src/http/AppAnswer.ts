/** An answer before whoever listens writes it. */
import { HttpServerResponse } from "effect/http"

export interface AppAnswer {
  readonly status: number
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON; undefined where there is none, as for 304. */
  readonly body: string | undefined
}

export const jsonType = "application/json"

/** A response of `effect/http`. */
export const appResponse = ({ status, headers, body }: AppAnswer): HttpServerResponse.HttpServerResponse =>
  body === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, contentType: jsonType, headers })
