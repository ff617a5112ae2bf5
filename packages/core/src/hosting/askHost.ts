import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AskHost, HostAnswer } from "./HostCaller.ts"

/** A host's own function as the core asks it. The request is the one that `fetch` was given, so a host may know it again. */
export const askHost =
  (ask: AskHost) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HostAnswer> =>
    Effect.flatMap(
      request.source instanceof Request
        ? Effect.succeed(request.source)
        : Effect.orDie(HttpServerRequest.toWeb(request)),
      (source) => Effect.promise(async () => ask(source))
    )
