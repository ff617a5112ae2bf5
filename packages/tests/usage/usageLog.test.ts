import { everyStore } from "@gatewarden/testkit/stores/stores"
import { usageLogSuite } from "@gatewarden/conformance/internal/usage/UsageLog.suite"

for (const [kind, store] of everyStore) usageLogSuite(kind, () => store)
