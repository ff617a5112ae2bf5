import { changeLogSuite } from "@gatewarden/conformance/internal/stream/ChangeLog.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) changeLogSuite(kind, () => store)
