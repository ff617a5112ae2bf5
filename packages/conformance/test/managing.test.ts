import { accountsSuite } from "../src/stores/Accounts.ts"
import { accountsApartSuite } from "../src/stores/accountsApart.ts"
import { assignmentsSuite } from "../src/stores/Assignments.ts"
import { changesAtOnceSuite } from "../src/stores/changesAtOnce.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"
import { workspaceBudgetsSuite } from "../src/stores/WorkspaceBudgets.ts"

for (const kind of Object.keys(stores) as StoreKind[]) {
  accountsSuite(kind, () => stores[kind])
  accountsApartSuite(kind, () => stores[kind])
  assignmentsSuite(kind, () => stores[kind])
  changesAtOnceSuite(kind, () => stores[kind])
  workspaceBudgetsSuite(kind, () => stores[kind])
}
