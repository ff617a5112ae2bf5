import type { QueryOf, listGuardrails as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { operation } from "../tracing/operation.ts"
import { Guardrails } from "../ports/guardrails.ts"

/** Rule: requests#lists. */
export const listGuardrails = operation("listGuardrails")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* (yield* Guardrails).list(caller.account_id, { workspace_id: workspace }, page)
})
