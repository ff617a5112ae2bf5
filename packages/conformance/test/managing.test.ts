import { accountsApartSuite } from "../src/stores/accountsApart.ts"
import { assignmentsSuite } from "../src/stores/Assignments.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"
import { workspaceBudgetsSuite } from "../src/stores/WorkspaceBudgets.ts"

for (const kind of Object.keys(stores) as StoreKind[]) {
  accountsApartSuite(kind, () => stores[kind])
  assignmentsSuite(kind, () => stores[kind])
  workspaceBudgetsSuite(kind, () => stores[kind])
}
