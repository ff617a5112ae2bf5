import { type StoreKind, stores } from "../../src/stores/stores.ts"
import { workspaceBudgetsSuite } from "../../src/workspace/WorkspaceBudgets.suite.ts"

for (const kind of Object.keys(stores) as StoreKind[]) workspaceBudgetsSuite(kind, () => stores[kind])
