import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { differencesOf } from "./differencesOf.ts"
import { Presets } from "../ports/presets.ts"
import { requireSlug } from "./requireSlug.ts"
import { requireVersion } from "./requireVersion.ts"

/** Rule: presets#comparing-versions. */
export const comparePresetVersions = operation("comparePresetVersions")(function* (
  caller: Caller,
  { slug, version }: { readonly slug: string; readonly version: string },
  { from, workspace_id: named }: { readonly from: number | undefined; readonly workspace_id?: string | undefined }
) {
  yield* requireSlug(slug)
  const { account_id } = caller
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const later = yield* requireVersion(account_id, workspace_id, slug, version)
  const presets = yield* Presets
  const found =
    from === undefined
      ? Option.map(yield* presets.find(account_id, workspace_id, slug), (preset) => preset.designated_version)
      : yield* presets.findVersion(account_id, workspace_id, slug, from)
  if (Option.isNone(found)) return yield* notFound()
  return { from: found.value.version, to: later.version, differences: differencesOf(found.value, later) }
})
