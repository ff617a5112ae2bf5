import { mailRecipientsSuite } from "../../src/alert/MailRecipients.suite.ts"
import { type StoreKind, stores } from "../../src/stores/stores.ts"

for (const kind of Object.keys(stores) as StoreKind[]) mailRecipientsSuite(kind, () => stores[kind])
