import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { appendVersion } from "./appendVersion.ts"
import { requireDesignation } from "./requireDesignation.ts"
import { requireSlug } from "./requireSlug.ts"
import { requireVersion } from "./requireVersion.ts"

/** Rule: presets#choosing-a-version. */
export const restorePresetVersion = operation("restorePresetVersion")(function* (
  caller: Caller,
  { slug, version }: { readonly slug: string; readonly version: string },
  named: string | undefined
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const content = yield* requireVersion(caller.account_id, workspace_id, slug, version)
  yield* requireDesignation(caller, workspace_id, slug)
  return yield* appendVersion(caller, workspace_id, slug, content)
})
