import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { authenticate } from "../access/authenticate.ts"
import type { Caller } from "../access/Caller.ts"
import { Unauthorized } from "../failure.ts"
import { callerOfHost } from "./callerOfHost.ts"
import { HostAuthentication } from "./HostAuthentication.ts"

/** The caller of a request: whom the host vouches for, else whose key was sent. */
export const identifyCaller = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const ask = yield* HostAuthentication
  if (ask !== undefined) {
    const answer = yield* ask(request)
    if (answer === "refuse") return yield* new Unauthorized({ reason: "refused_by_host" })
    if (answer != null) return (yield* callerOfHost(answer)) satisfies Caller
  }
  return yield* authenticate(request.headers["authorization"])
})
