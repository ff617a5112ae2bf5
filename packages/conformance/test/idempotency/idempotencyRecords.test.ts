import { type StoreKind, stores } from "../../src/stores/stores.ts"
import { idempotencyRecordsSuite } from "../../src/idempotency/IdempotencyRecords.suite.ts"

for (const kind of Object.keys(stores) as StoreKind[])
  idempotencyRecordsSuite(kind, () => stores[kind], { transactional: kind !== "memory" })
