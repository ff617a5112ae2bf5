import { assignmentsSuite } from "../../src/guardrail/Assignments.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) assignmentsSuite(kind, () => stores[kind])
