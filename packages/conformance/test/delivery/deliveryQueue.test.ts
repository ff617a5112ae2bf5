import { deliveryQueueSuite } from "../../src/delivery/DeliveryQueue.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) deliveryQueueSuite(kind, () => stores[kind])
