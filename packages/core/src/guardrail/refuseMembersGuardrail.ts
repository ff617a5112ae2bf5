import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { reachedWorkspaces } from "../access/restrictions.ts"
import { Forbidden } from "../value/failure.ts"
import { Assignments } from "../ports/guardrails.ts"

/**
 * A member's guardrail applies in every workspace, so a key that is restricted to some may not change it, as it may not assign it.
 * Rule: access#restricted-keys.
 */
export const refuseMembersGuardrail = Effect.fnUntraced(function* (caller: Caller, guardrail_id: string) {
  if (reachedWorkspaces(caller) === undefined) return
  const { listMembers } = yield* Assignments
  const { data } = yield* listMembers(caller.account_id, { guardrail_id }, { limit: 1, offset: 0 })
  if (data.length === 0) return
  return yield* new Forbidden({
    reason: "restricted_key",
    issues: [
      {
        path: "path.id",
        code: "workspace_ids",
        message:
          "This key is restricted to workspaces; the guardrail is assigned to members, so it applies in every workspace"
      }
    ]
  })
})
