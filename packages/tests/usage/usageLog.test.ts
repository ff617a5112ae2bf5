import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"
import { usageLogSuite } from "@gatewarden/conformance/internal/usage/UsageLog.suite"

for (const kind of Object.keys(stores) as StoreKind[]) usageLogSuite(kind, () => stores[kind])
