import { entityNamesSuite } from "../../src/naming/EntityNames.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) entityNamesSuite(kind, () => stores[kind])
