import { apiKeysSuite } from "../../src/key/ApiKeys.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) apiKeysSuite(kind, () => stores[kind])
