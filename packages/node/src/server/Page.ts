/** What the server itself serves beside the operations: fixed paths outside the base path, without credentials. */
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

export type Page = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/** By path. */
export type Pages = ReadonlyMap<string, Page>
