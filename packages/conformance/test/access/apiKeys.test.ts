import { apiKeysSuite } from "../../src/access/ApiKeys.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) apiKeysSuite(kind, () => stores[kind])
