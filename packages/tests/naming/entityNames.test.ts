import { entityNamesSuite } from "@gatewarden/conformance/internal/naming/EntityNames.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) entityNamesSuite(kind, () => stores[kind])
