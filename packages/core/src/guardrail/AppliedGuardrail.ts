/** A guardrail with the scope in which it applies to a request: workspace default, member or key. */
import type { Guardrail } from "@gatewarden/contract"

export type GuardrailScope = "workspace" | "member" | "key"

export interface AppliedGuardrail {
  readonly scope: GuardrailScope
  readonly guardrail: Guardrail
}
