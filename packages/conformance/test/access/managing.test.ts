import { accountsSuite } from "../../src/access/Accounts.suite.ts"
import { accountsApartSuite } from "../../src/access/accountsApart.ts"
import { assignmentsSuite } from "../../src/guardrail/Assignments.suite.ts"
import { changesAtOnceSuite } from "../../src/stream/changesAtOnce.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"
import { workspaceBudgetsSuite } from "../../src/workspace/WorkspaceBudgets.suite.ts"

for (const kind of Object.keys(stores) as StoreKind[]) {
  accountsSuite(kind, () => stores[kind])
  accountsApartSuite(kind, () => stores[kind])
  assignmentsSuite(kind, () => stores[kind])
  changesAtOnceSuite(kind, () => stores[kind])
  workspaceBudgetsSuite(kind, () => stores[kind])
}
