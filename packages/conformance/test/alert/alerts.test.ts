import { alertsSuite } from "../../src/alert/Alerts.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) alertsSuite(kind, () => stores[kind])
