import { everyStore } from "@gatewarden/testkit/stores/stores"
import { workspaceBudgetsSuite } from "@gatewarden/conformance/internal/workspace/WorkspaceBudgets.suite"

for (const [kind, store] of everyStore) workspaceBudgetsSuite(kind, () => store)
