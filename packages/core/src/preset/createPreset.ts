import type { ChatRequest } from "@gatewarden/contract"
import { Option } from "effect"
import { authorOf, type Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../platform/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceNotFound, workspaceOfCaller } from "../workspace/workspaceOfCaller.ts"
import { presetConfig } from "./presetConfig.ts"
import { Presets } from "./Presets.ts"
import { requireSlug } from "./requireSlug.ts"
import { systemPrompt } from "./systemPrompt.ts"

/** Operation 11. `sent` is the request before the contract looked at it: what is kept is kept as sent. */
export const createPreset = operation("createPreset")(function* (
  caller: Caller,
  slug: string,
  named: string | undefined,
  { messages }: Pick<ChatRequest, "messages">,
  sent: object
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const entropy = yield* Entropy
  const preset = yield* (yield* Presets).append(caller.account_id, {
    workspace_id,
    slug,
    new_preset_id: entropy.uuid(),
    version_id: entropy.uuid(),
    config: presetConfig(sent),
    system_prompt: systemPrompt(messages),
    creator_id: authorOf(caller),
    now: yield* timestamp
  })
  return Option.isSome(preset) ? preset.value : yield* workspaceNotFound()
})
