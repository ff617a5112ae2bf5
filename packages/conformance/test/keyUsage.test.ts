import { keyUsageSuite } from "../src/stores/KeyUsageReader.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) keyUsageSuite(kind, () => stores[kind])
