import { httpRace } from "../httpRace.ts"
import { guardrailAt } from "../guardrailAt.ts"
import type { Race } from "../Measure.ts"

export const getGuardrail: Race = {
  kind: "race",
  name: "GET one guardrail",
  atLeast: 0.8,
  open: (bench) => httpRace(bench, (index) => ({ method: "GET", path: `/guardrails/${guardrailAt(bench, index)}` }))
}
