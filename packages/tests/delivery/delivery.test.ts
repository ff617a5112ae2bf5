import { deliverySuite } from "@gatewarden/testkit/delivery/deliverySuite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) deliverySuite(kind, () => stores[kind])
