import { processesSuite } from "@gatewarden/conformance/internal/vault/Processes.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) processesSuite(kind, () => store)
