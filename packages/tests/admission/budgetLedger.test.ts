import { budgetLedgerSuite } from "@gatewarden/conformance/internal/admission/BudgetLedger.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) budgetLedgerSuite(kind, () => stores[kind])
