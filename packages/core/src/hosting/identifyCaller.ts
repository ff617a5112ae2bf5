import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { authenticate } from "../access/authenticate.ts"
import type { Caller } from "../access/Caller.ts"
import { Unauthorized } from "../failure.ts"
import { callerOfHost } from "./callerOfHost.ts"
import { HostAuthentication } from "./HostAuthentication.ts"
import type { HostAnswer } from "./HostCaller.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The caller of a request: whom the host vouches for, else whose key was sent. */
export const identifyCaller = (request: Request) =>
  // Without a host that is asked there is nothing between a request and its key.
  Effect.flatMap(HostAuthentication, (ask) =>
    ask === undefined ? ofKey(request) : Effect.flatMap(ask(request), (answer) => ofAnswer(answer, request))
  )

const ofKey = (request: Request) => authenticate(request.headers["authorization"])

const ofAnswer = Effect.fnUntraced(function* (answer: HostAnswer, request: Request) {
  if (answer === "refuse") return yield* new Unauthorized({ reason: "refused_by_host" })
  const caller: Caller = answer == null ? yield* ofKey(request) : yield* callerOfHost(answer)
  return caller
})
