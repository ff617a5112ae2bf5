import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { Forbidden, notFound } from "../value/failure.ts"
import { workspaceNotFound } from "../access/workspaceOfCaller.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { designatedOf } from "./designation.ts"
import { Presets } from "../ports/presets.ts"

/** Fails if the workspace does not let the caller designate versions of the preset. Rule: presets#who-designates. */
export const requireDesignation = Effect.fnUntraced(function* (caller: Caller, workspace_id: string, slug: string) {
  const workspace = yield* (yield* Workspaces).find(caller.account_id, workspace_id)
  if (Option.isNone(workspace)) return yield* workspaceNotFound()
  const creator = designatedOf(caller, workspace.value)
  if (creator === undefined) return
  const preset = yield* (yield* Presets).find(caller.account_id, workspace_id, slug)
  if (Option.isNone(preset)) return yield* notFound()
  if (preset.value.creator_user_id !== creator) return yield* new Forbidden({ reason: "preset_designation" })
})
