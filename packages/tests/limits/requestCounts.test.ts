import { requestCountsSuite } from "@gatewarden/conformance/internal/limits/RequestCounts.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) requestCountsSuite(kind, () => store)
