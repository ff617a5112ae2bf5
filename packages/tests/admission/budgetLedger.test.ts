import { budgetLedgerSuite } from "@gatewarden/conformance/internal/admission/BudgetLedger.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) budgetLedgerSuite(kind, () => store)
