import { processesSuite } from "@gatewarden/conformance/internal/vault/Processes.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) processesSuite(kind, () => stores[kind])
