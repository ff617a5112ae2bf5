import { keptContentsSuite } from "../../src/prompt/keptContentsSuite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) keptContentsSuite(kind, () => stores[kind])
