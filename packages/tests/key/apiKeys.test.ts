import { apiKeysSuite } from "@gatewarden/conformance/internal/key/ApiKeys.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) apiKeysSuite(kind, () => store)
