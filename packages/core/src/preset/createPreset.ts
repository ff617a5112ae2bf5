import type { Caller } from "../access/Caller.ts"
import { invalid } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { appendVersion } from "./appendVersion.ts"
import type { PresetContent } from "./presetForms.ts"
import { requireSlug } from "./requireSlug.ts"

/** From any form of request. Rule: presets#versions, presets#kept-fields. `sent` is the request, of which `content` is kept. */
export const createPreset = operation("createPreset")(function* (
  caller: Caller,
  slug: string,
  named: string | undefined,
  content: PresetContent,
  sent: object
) {
  yield* requireSlug(slug)
  // Refused, because presets do not keep this field and its searches would silently not happen.
  if ("web_search_options" in sent && sent.web_search_options !== null)
    return yield* invalid(
      "invalid_request",
      "web_search_options",
      "A preset does not keep it; send it with each request, or give the preset a tool or plugin that searches"
    )
  const workspace_id = yield* workspaceOfCaller(caller, named)
  return yield* appendVersion(caller, workspace_id, slug, content)
})
