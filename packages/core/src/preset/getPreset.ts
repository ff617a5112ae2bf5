import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { Presets } from "../ports/presets.ts"
import { requireSlug } from "./requireSlug.ts"

/** Rule: presets#place-of-a-preset. */
export const getPreset = operation("getPreset")(function* (caller: Caller, slug: string, named: string | undefined) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const found = yield* (yield* Presets).find(caller.account_id, workspace_id, slug)
  return Option.isSome(found) ? found.value : yield* notFound()
})
