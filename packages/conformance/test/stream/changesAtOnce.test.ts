import { type StoreKind, stores } from "../../src/stores/stores.ts"
import { changesAtOnceSuite } from "../../src/stream/changesAtOnce.suite.ts"

for (const kind of Object.keys(stores) as StoreKind[]) changesAtOnceSuite(kind, () => stores[kind])
