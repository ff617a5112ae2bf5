import { accountsSuite } from "../../src/access/Accounts.suite.ts"
import { accountsApartSuite } from "../../src/access/accountsApart.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) {
  accountsSuite(kind, () => stores[kind])
  accountsApartSuite(kind, () => stores[kind])
}
