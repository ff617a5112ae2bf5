import { budgetLedgerSuite } from "../src/stores/BudgetLedger.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) budgetLedgerSuite(kind, () => stores[kind])
