import { budgetLedgerSuite } from "../../src/admission/BudgetLedger.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) budgetLedgerSuite(kind, () => stores[kind])
