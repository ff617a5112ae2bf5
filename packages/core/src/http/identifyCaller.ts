import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { authenticate, missingKey } from "../access/authenticate.ts"
import { HostAuthentication, callerOfHost } from "../access/callerOfHost.ts"
import { type HostAnswer } from "../access/HostCaller.ts"
import { Unauthorized } from "../value/failure.ts"
import type { AppRequest } from "./AppRequest.ts"

/** The caller of a request: the user that the host authenticated, otherwise the key that was sent. */
export const identifyCaller = (request: AppRequest) =>
  // Without `authenticate`, the key alone decides.
  Effect.flatMap(HostAuthentication, (ask) =>
    ask === undefined
      ? ofKey(request)
      : Effect.flatMap(Effect.flatMap(request.whole(), ask), (answer) => ofAnswer(answer, request))
  )

const ofKey = (request: AppRequest) => {
  const { authorization } = request.headers
  return authorization === undefined ? Effect.fail(missingKey(request)) : authenticate(authorization)
}

const ofAnswer = Effect.fnUntraced(function* (answer: HostAnswer, request: AppRequest) {
  if (answer === "refuse") return yield* new Unauthorized({ reason: "refused_by_host" })
  const caller: Caller = answer == null ? yield* ofKey(request) : yield* callerOfHost(answer)
  return caller
})
