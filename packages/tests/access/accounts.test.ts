import { accountsSuite } from "@gatewarden/conformance/internal/access/Accounts.suite"
import { accountsApartSuite } from "@gatewarden/conformance/internal/access/accountsApart.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) {
  accountsSuite(kind, () => stores[kind])
  accountsApartSuite(kind, () => stores[kind])
}
