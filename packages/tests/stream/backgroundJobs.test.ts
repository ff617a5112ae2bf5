import { backgroundJobsSuite } from "@gatewarden/conformance/internal/stream/BackgroundJobs.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[])
  backgroundJobsSuite(kind, () => stores[kind], { transactional: kind !== "memory" })
