import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AskHost, HostAnswer } from "./HostCaller.ts"

/** Calls the host's function with the very request that `fetch` was given, so that the host recognises it. */
export const askHost =
  (ask: AskHost) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HostAnswer> =>
    Effect.flatMap(
      request.source instanceof Request
        ? Effect.succeed(request.source)
        : Effect.orDie(HttpServerRequest.toWeb(request)),
      (source) => Effect.promise(async () => ask(source))
    )
