import { deliveryQueueSuite } from "@gatewarden/conformance/internal/delivery/DeliveryQueue.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) deliveryQueueSuite(kind, () => stores[kind])
