import { entitySizesSuite } from "@gatewarden/conformance/internal/limits/entitySizes.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) entitySizesSuite(kind, () => stores[kind])
