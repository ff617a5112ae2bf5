import { keyUsageSuite } from "@gatewarden/conformance/internal/usage/KeyUsageReader.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) keyUsageSuite(kind, () => store)
