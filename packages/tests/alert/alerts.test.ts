import { alertsSuite } from "@gatewarden/conformance/internal/alert/Alerts.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) alertsSuite(kind, () => stores[kind])
