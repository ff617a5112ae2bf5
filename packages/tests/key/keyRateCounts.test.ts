import { keyRateCountsSuite } from "@gatewarden/conformance/internal/key/KeyRateCounts.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) keyRateCountsSuite(kind, () => store)
