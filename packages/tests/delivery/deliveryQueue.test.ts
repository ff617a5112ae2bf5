import { deliveryQueueSuite } from "@gatewarden/conformance/internal/delivery/DeliveryQueue.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) deliveryQueueSuite(kind, () => store)
