/** Recipients of mail in memory, and how they are forgotten. */
import { mailboxOf } from "../../alert/confirmRecipients.ts"
import type { ConfirmationLink } from "../../ports/alerts.ts"
import type { Tables } from "./Tables.ts"

export interface RecipientRow extends ConfirmationLink {
  readonly account_id: string
  readonly confirmed: boolean
}

/** Forgets addresses that no channel of the account names. */
export const forgetRecipients = (tables: Tables, account_id: string): void => {
  const named = new Set(
    tables.alertChannels
      .ofAccount(account_id)
      .flatMap(({ channel }) => (channel.type === "email" ? channel.config.to.map(mailboxOf) : []))
  )
  for (const [place, row] of tables.mailRecipients)
    if (row.account_id === account_id && !named.has(row.address)) tables.mailRecipients.delete(place)
}
