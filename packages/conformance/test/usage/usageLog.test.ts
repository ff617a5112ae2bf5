import { type StoreKind, stores } from "../../src/stores/stores.ts"
import { usageLogSuite } from "../../src/usage/UsageLog.suite.ts"

for (const kind of Object.keys(stores) as StoreKind[]) usageLogSuite(kind, () => stores[kind])
