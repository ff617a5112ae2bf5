import { entitySizesSuite } from "../../src/limits/entitySizes.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) entitySizesSuite(kind, () => stores[kind])
