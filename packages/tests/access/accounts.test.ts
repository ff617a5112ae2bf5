import { accountsSuite } from "@gatewarden/conformance/internal/access/Accounts.suite"
import { accountsApartSuite } from "@gatewarden/conformance/internal/access/accountsApart.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) {
  accountsSuite(kind, () => store)
  accountsApartSuite(kind, () => store)
}
