import { changeLogSuite } from "../../src/stream/ChangeLog.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) changeLogSuite(kind, () => stores[kind])
