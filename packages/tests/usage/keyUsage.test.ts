import { keyUsageSuite } from "@gatewarden/conformance/internal/usage/KeyUsageReader.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) keyUsageSuite(kind, () => stores[kind])
