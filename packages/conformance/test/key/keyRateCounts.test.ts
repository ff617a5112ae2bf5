import { keyRateCountsSuite } from "../../src/key/KeyRateCounts.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) keyRateCountsSuite(kind, () => stores[kind])
