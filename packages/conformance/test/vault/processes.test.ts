import { processesSuite } from "../../src/vault/Processes.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) processesSuite(kind, () => stores[kind])
