import { assignmentsSuite } from "@gatewarden/conformance/internal/guardrail/Assignments.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) assignmentsSuite(kind, () => stores[kind])
