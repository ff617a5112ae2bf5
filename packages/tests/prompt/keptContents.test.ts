import { keptContentsSuite } from "@gatewarden/testkit/prompt/keptContentsSuite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) keptContentsSuite(kind, () => store)
