import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { Presets } from "../ports/presets.ts"

/** Rule: presets#listing-presets, presets#place-of-a-preset. */
export const listPresets = operation("listPresets")(function* (
  caller: Caller,
  { workspace_id: named, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  return yield* (yield* Presets).list(caller.account_id, workspace_id, page)
})
