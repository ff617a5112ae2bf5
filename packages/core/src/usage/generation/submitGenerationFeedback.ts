import type { SubmitGenerationFeedback } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../../access/Caller.ts"
import { reachedWorkspaces, reachesWorkspace } from "../../access/restrictions.ts"
import { notFoundAt } from "../../value/failure.ts"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/timestamp.ts"
import { Generations } from "../../ports/usage.ts"

/** Rule: usage#feedback. */
export const submitGenerationFeedback = operation("submitGenerationFeedback")(function* (
  caller: Caller,
  { generation_id, category, comment }: SubmitGenerationFeedback
) {
  const generations = yield* Generations
  if (reachedWorkspaces(caller) !== undefined) {
    // An event stays in its workspace, so that it may be looked at before.
    const found = yield* generations.find(caller.account_id, generation_id)
    if (Option.isNone(found) || !reachesWorkspace(caller, found.value.workspace_id))
      return yield* notFoundAt("generation_id", "generation")
  }
  const feedback = { category, comment: comment ?? null, given_at: yield* timestamp }
  const isKept = yield* generations.keepFeedback(caller.account_id, generation_id, feedback)
  return isKept ? { success: true as const } : yield* notFoundAt("generation_id", "generation")
})
