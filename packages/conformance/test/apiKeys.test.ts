import { apiKeysSuite } from "../src/stores/ApiKeys.ts"
import { type StoreKind, stores } from "../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) apiKeysSuite(kind, () => stores[kind])
