import { backgroundJobsSuite } from "@gatewarden/conformance/internal/stream/BackgroundJobs.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) backgroundJobsSuite(kind, () => store, { transactional: kind !== "memory" })
