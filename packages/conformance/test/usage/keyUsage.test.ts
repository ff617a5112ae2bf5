import { keyUsageSuite } from "../../src/usage/KeyUsageReader.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) keyUsageSuite(kind, () => stores[kind])
