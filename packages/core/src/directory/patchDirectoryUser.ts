import { Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { resourceOfUser, userFactsOf } from "./directoryUserOf.ts"
import { reviseDirectoryUser, withFacts } from "./reviseDirectoryUser.ts"
import { patchResource } from "./scim/patchResource.ts"
import type { Projection } from "./scim/projectResource.ts"
import { readPatch } from "./scim/readPatch.ts"
import { userKind, type Values } from "./scim/ResourceKind.ts"

/** Rule: scim#patches. */
export const patchDirectoryUser = operation("patchDirectoryUser")(function* (
  caller: Caller,
  id: string,
  body: Values,
  projection: Projection
) {
  const steps = yield* readPatch(userKind, body)
  return yield* reviseDirectoryUser(caller, id, projection, (user) =>
    Result.flatMap(patchResource(resourceOfUser(user), steps), (resource) =>
      // What it meant is not guessed: a user that was to be deprovisioned must not stay active in silence.
      resource["active"] === undefined
        ? Result.fail(invalid("read_only_attribute", "Operations", "active cannot be removed: send true or false"))
        : Result.map(userFactsOf(resource), (facts) => withFacts(user, facts))
    )
  )
})
