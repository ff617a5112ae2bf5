import { alertsSuite } from "@gatewarden/conformance/internal/alert/Alerts.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) alertsSuite(kind, () => store)
