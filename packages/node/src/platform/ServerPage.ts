/** What the server itself serves beside the operations: paths outside the base path, without credentials. */
import type { AppAnswer, AppRequest } from "@gatewarden/core/internal"
import type { Effect } from "effect"

/** Undefined when there is nothing at the path after all. */
export type ServerPage = (request: AppRequest) => Effect.Effect<AppAnswer | undefined>

/** The page at a path, if it is one of a page. */
export type ServerPages = (path: string) => ServerPage | undefined
