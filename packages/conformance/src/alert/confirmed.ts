/** Addresses that have confirmed, without the mails that ask them. */
import { MailRecipients } from "@gatewarden/core/store"
import { Effect } from "effect"

export const confirmed = Effect.fnUntraced(function* (account_id: string, addresses: readonly string[]) {
  const recipients = yield* MailRecipients
  for (const address of addresses) {
    const token_hash = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "")
    yield* recipients.ask(account_id, { address, token_hash, ends_at: "2100-01-01T00:00:00.000Z" })
    yield* recipients.confirm(token_hash, "2026-01-01T00:00:00.000Z")
  }
})
