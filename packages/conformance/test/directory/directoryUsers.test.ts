import { directoryUsersSuite } from "../../src/directory/DirectoryUsers.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) directoryUsersSuite(kind, () => stores[kind])
