import { deliverySuite } from "../../src/delivery/deliverySuite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) deliverySuite(kind, () => stores[kind])
