import { httpRace } from "../httpRace.ts"
import { guardrailAt } from "../guardrailAt.ts"
import type { Race } from "../Measure.ts"

/** Every change is one: the values differ from what is stored. */
export const patchGuardrail: Race = {
  kind: "race",
  name: "PATCH a guardrail",
  atLeast: 0.7,
  open: (bench) =>
    httpRace(bench, (index) => ({
      method: "PATCH",
      path: `/guardrails/${guardrailAt(bench, index)}`,
      body: { description: `change ${index}`, limit_usd: 1 + (index % 1_000) / 8, reset_interval: "monthly" }
    }))
}
