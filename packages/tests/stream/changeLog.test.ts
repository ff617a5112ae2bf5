import { changeLogSuite } from "@gatewarden/conformance/internal/stream/ChangeLog.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) changeLogSuite(kind, () => stores[kind])
