import { keyRatesSuite } from "../src/stores/KeyRates.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) keyRatesSuite(kind, () => stores[kind])
