import { keyRatesSuite } from "../../src/admission/KeyRates.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) keyRatesSuite(kind, () => stores[kind])
