import { Effect, Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { readUserFacts } from "./directoryUserOf.ts"
import { reviseDirectoryUser, withFacts } from "./reviseDirectoryUser.ts"
import type { Projection } from "./scim/projectResource.ts"
import type { Values } from "./scim/ResourceKind.ts"

/** What is not sent is removed, but `active`, whose absence says nothing. Rule: scim#directory-users. */
export const putDirectoryUser = operation("putDirectoryUser")(function* (
  caller: Caller,
  id: string,
  sent: Values,
  projection: Projection
) {
  const facts = yield* Effect.fromResult(readUserFacts(sent))
  return yield* reviseDirectoryUser(caller, id, projection, (user) => Result.succeed(withFacts(user, facts)))
})
