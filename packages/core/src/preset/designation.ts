/** Who designates versions of presets. Rule: presets#who-designates. */
import type { Workspace } from "@gatewarden/contract"
import { authorOf, type Caller } from "../access/Caller.ts"
import type { PresetDraft } from "../ports/presets.ts"

/**
 * The presets whose versions the caller designates: `undefined` for all, otherwise those of this creator; `null`: none. API keys without a
 * user share their creator with every other one, so nothing is theirs.
 */
export const designatedOf = (
  caller: Caller,
  { presets_designated_by: by }: Pick<Workspace, "presets_designated_by">
): PresetDraft["designated_of"] => {
  if (by === "management_keys") return caller.kind === "management" ? undefined : null
  if (by === "any_key" && caller.issued !== true) return undefined
  return caller.user_id === null && caller.kind === "normal" ? null : authorOf(caller)
}
