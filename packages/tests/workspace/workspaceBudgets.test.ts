import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"
import { workspaceBudgetsSuite } from "@gatewarden/conformance/internal/workspace/WorkspaceBudgets.suite"

for (const kind of Object.keys(stores) as StoreKind[]) workspaceBudgetsSuite(kind, () => stores[kind])
