import type { Guardrail } from "@gatewarden/contract"
import type { AppliedGuardrail } from "../../core/src/ports/policySources.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"

/** A guardrail that restricts nothing but by these fields, as it applies to a request. */
export const appliedRule = (
  fields: Partial<Guardrail>,
  scope: AppliedGuardrail["scope"] = "key",
  id = "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21"
): AppliedGuardrail => ({
  scope,
  guardrail: {
    ...unrestricted,
    id,
    workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
    name: "any",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: null,
    ...fields
  }
})
