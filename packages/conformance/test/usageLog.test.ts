import { type StoreKind, stores } from "../src/stores/stores.ts"
import { usageLogSuite } from "../src/stores/UsageLog.ts"

for (const kind of Object.keys(stores) as StoreKind[]) usageLogSuite(kind, () => stores[kind])
