import type { Bench } from "./openBench.ts"

/** A prime to the number of guardrails, so that a walk in its steps meets each of them before any again. */
const stride = 7_919

/** The guardrail of the nth request: all of them in turn, neighbours far apart. */
export const guardrailAt = ({ guardrails }: Bench, index: number): string =>
  guardrails[(index * stride) % guardrails.length] ?? ""
