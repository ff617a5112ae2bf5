import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { requireSlug } from "./requireSlug.ts"
import { requireVersion } from "./requireVersion.ts"

/** Rule: presets#reading-versions. */
export const getPresetVersion = operation("getPresetVersion")(function* (
  caller: Caller,
  { slug, version }: { readonly slug: string; readonly version: string },
  named: string | undefined
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  return yield* requireVersion(caller.account_id, workspace_id, slug, version)
})
