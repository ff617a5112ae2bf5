import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { changeDirectoryGroup } from "./changeDirectoryGroup.ts"
import { namesOfGroup } from "./directoryGroupOf.ts"
import { readGroupPatch } from "./readGroupPatch.ts"
import { requireGroup } from "./requireGroup.ts"
import { readPatch } from "./scim/readPatch.ts"
import { groupKind, type Values } from "./scim/ResourceKind.ts"

/** Rule: scim#patches. */
export const patchDirectoryGroup = operation("patchDirectoryGroup")(function* (
  caller: Caller,
  id: string,
  body: Values
) {
  const steps = yield* readPatch(groupKind, body)
  const group = yield* requireGroup(caller, id)
  yield* changeDirectoryGroup(caller, id, yield* Effect.fromResult(readGroupPatch(namesOfGroup(group), steps)))
})
