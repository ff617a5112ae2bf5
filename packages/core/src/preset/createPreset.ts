import type { ChatRequest } from "@gatewarden/contract"
import { Option } from "effect"
import { authorOf, type Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { invalid } from "../failure.ts"
import { quotaExceeded, requireRoom, StorageSettings } from "../limits/requireRoom.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceNotFound, workspaceOfCaller } from "../workspace/workspaceOfCaller.ts"
import { bytesOfVersion } from "./newPreset.ts"
import { presetConfig } from "./presetConfig.ts"
import { Presets } from "./Presets.ts"
import { requireSlug } from "./requireSlug.ts"
import { systemPrompt } from "./systemPrompt.ts"

/** Rule: presets#kept-fields. `sent` is the request before validation: fields are stored verbatim. */
export const createPreset = operation("createPreset")(function* (
  caller: Caller,
  slug: string,
  named: string | undefined,
  { messages }: Pick<ChatRequest, "messages">,
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
  const config = presetConfig(sent)
  const system_prompt = systemPrompt(messages)
  const { account_id } = caller
  yield* requireRoom(
    "preset_bytes_per_workspace",
    { account_id, workspace_id },
    bytesOfVersion({ config, system_prompt })
  )
  const entropy = yield* Entropy
  const { versions_per_preset: most_versions } = yield* StorageSettings
  const presets = yield* Presets
  const preset = yield* presets.append(account_id, {
    workspace_id,
    slug,
    new_preset_id: entropy.uuid(),
    version_id: entropy.uuid(),
    config,
    system_prompt,
    creator_id: authorOf(caller),
    most_versions,
    now: yield* timestamp
  })
  if (Option.isSome(preset)) return preset.value
  const full = yield* presets.find(account_id, workspace_id, slug)
  if (Option.isNone(full)) return yield* workspaceNotFound()
  return yield* quotaExceeded(
    "versions_per_preset",
    most_versions,
    `This preset has ${full.value.designated_version.version} versions`,
    "Use another slug"
  )
})
