import { deliverySuite } from "@gatewarden/testkit/delivery/deliverySuite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) deliverySuite(kind, () => store)
