import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { Presets } from "../ports/presets.ts"
import { requireSlug } from "./requireSlug.ts"

/** Rule: presets#reading-versions. */
export const listPresetVersions = operation("listPresetVersions")(function* (
  caller: Caller,
  slug: string,
  { workspace_id: named, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const found = yield* (yield* Presets).listVersions(caller.account_id, workspace_id, slug, page)
  return Option.isSome(found) ? found.value : yield* notFound()
})
