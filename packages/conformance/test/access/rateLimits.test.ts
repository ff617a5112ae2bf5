import { rateLimitsSuite } from "../../src/access/RateLimits.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) rateLimitsSuite(kind, () => stores[kind])
