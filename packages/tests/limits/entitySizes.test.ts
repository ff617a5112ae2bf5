import { entitySizesSuite } from "@gatewarden/conformance/internal/limits/entitySizes.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) entitySizesSuite(kind, () => store)
