import { mailRecipientsSuite } from "@gatewarden/conformance/internal/alert/MailRecipients.suite"
import { everyStore } from "@gatewarden/testkit/stores/stores"

for (const [kind, store] of everyStore) mailRecipientsSuite(kind, () => store)
