/** Every operation's cases, in the order of the table. A test fails while an operation has none, or a declared status no case. */
import type { CasesOf } from "./Case.ts"
import { createGuardrail } from "./createGuardrail.ts"
import { getWorkspace } from "./getWorkspace.ts"

export const suites: readonly CasesOf[] = [createGuardrail, getWorkspace]
