/** What the server itself serves beside the operations: paths outside the base path, without credentials. */
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Undefined when there is nothing at the path after all. */
export type Page = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse | undefined>

/** The page at a path, if it is one of a page. */
export type Pages = (path: string) => Page | undefined
