import { requestCountsSuite } from "@gatewarden/conformance/internal/limits/RequestCounts.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) requestCountsSuite(kind, () => stores[kind])
