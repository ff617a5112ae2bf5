import { Effect } from "effect"
import { MailRecipients } from "../ports/alerts.ts"
import type { Tables } from "./tables/Tables.ts"

export const mailRecipients = ({ mailRecipients: rows }: Tables) => {
  const placeOf = (account_id: string, address: string): string => `${account_id} ${address}`
  return MailRecipients.of({
    unconfirmed: (account_id, addresses) =>
      Effect.sync(() =>
        addresses.flatMap((address) => {
          const row = rows.get(placeOf(account_id, address))
          return row?.confirmed === true ? [] : [{ address, link_ends_at: row?.ends_at ?? null }]
        })
      ),
    ask: (account_id, link) =>
      Effect.sync(() => {
        const place = placeOf(account_id, link.address)
        if (rows.get(place)?.confirmed === true) return false
        rows.set(place, { ...link, account_id, confirmed: false })
        return true
      }),
    confirm: (token_hash, now) =>
      Effect.sync(() => {
        for (const [place, row] of rows) {
          if (row.token_hash !== token_hash || row.ends_at <= now) continue
          rows.set(place, { ...row, confirmed: true })
          return true
        }
        return false
      })
  })
}
