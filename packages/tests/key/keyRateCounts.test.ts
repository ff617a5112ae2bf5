import { keyRateCountsSuite } from "@gatewarden/conformance/internal/key/KeyRateCounts.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) keyRateCountsSuite(kind, () => stores[kind])
