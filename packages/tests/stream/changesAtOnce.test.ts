import { everyStore } from "@gatewarden/testkit/stores/stores"
import { changesAtOnceSuite } from "@gatewarden/conformance/internal/stream/changesAtOnce.suite"

for (const [kind, store] of everyStore) changesAtOnceSuite(kind, () => store)
