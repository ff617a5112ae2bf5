import { everyStore } from "@gatewarden/testkit/stores/stores"
import { idempotencyRecordsSuite } from "@gatewarden/conformance/internal/idempotency/IdempotencyRecords.suite"

for (const [kind, store] of everyStore) idempotencyRecordsSuite(kind, () => store, { transactional: kind !== "memory" })
