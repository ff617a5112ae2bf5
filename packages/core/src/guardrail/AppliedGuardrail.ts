/** A guardrail with what it applies to a request as: the default of the workspace, the member's or the key's. */
import type { Guardrail } from "@gatewarden/contract"

export type GuardrailScope = "workspace" | "member" | "key"

export interface AppliedGuardrail {
  readonly scope: GuardrailScope
  readonly guardrail: Guardrail
}
