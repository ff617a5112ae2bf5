import { assignmentsSuite } from "@gatewarden/conformance/internal/guardrail/Assignments.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) assignmentsSuite(kind, () => store)
