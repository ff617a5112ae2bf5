import { requestCountsSuite } from "../../src/limits/RequestCounts.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) requestCountsSuite(kind, () => stores[kind])
