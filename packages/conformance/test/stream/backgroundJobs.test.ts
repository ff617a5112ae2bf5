import { backgroundJobsSuite } from "../../src/stream/BackgroundJobs.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[])
  backgroundJobsSuite(kind, () => stores[kind], { transactional: kind !== "memory" })
