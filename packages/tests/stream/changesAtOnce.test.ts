import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"
import { changesAtOnceSuite } from "@gatewarden/conformance/internal/stream/changesAtOnce.suite"

for (const kind of Object.keys(stores) as StoreKind[]) changesAtOnceSuite(kind, () => stores[kind])
