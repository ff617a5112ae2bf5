import { keptContentsSuite } from "@gatewarden/testkit/prompt/keptContentsSuite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) keptContentsSuite(kind, () => stores[kind])
