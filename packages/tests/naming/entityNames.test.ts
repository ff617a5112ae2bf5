import { entityNamesSuite } from "@gatewarden/conformance/internal/naming/EntityNames.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) entityNamesSuite(kind, () => store)
