import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"
import { idempotencyRecordsSuite } from "@gatewarden/conformance/internal/idempotency/IdempotencyRecords.suite"

for (const kind of Object.keys(stores) as StoreKind[])
  idempotencyRecordsSuite(kind, () => stores[kind], { transactional: kind !== "memory" })
