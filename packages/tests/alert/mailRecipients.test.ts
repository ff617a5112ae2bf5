import { mailRecipientsSuite } from "@gatewarden/conformance/internal/alert/MailRecipients.suite"
import { type StoreKind, stores } from "@gatewarden/testkit/stores/stores"

for (const kind of Object.keys(stores) as StoreKind[]) mailRecipientsSuite(kind, () => stores[kind])
