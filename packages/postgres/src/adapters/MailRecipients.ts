import { MailRecipients, type UnconfirmedRecipient } from "@gatewarden/core/store"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"

export const mailRecipients = Effect.map(SqlClient.SqlClient, (sql) =>
  MailRecipients.of({
    unconfirmed: (account_id, addresses) =>
      reading(
        Effect.map(
          sql<Columns>`
            select named.address, r.link_ends_at
            from unnest(${arrayLiteral(addresses)}::text[]) with ordinality named (address, place)
            left join gatewarden_mail_recipient r on r.account_id = ${account_id} and r.address = named.address
            where r.confirmed_at is null order by named.place`,
          (rows) => rows.map((row) => fromRow<UnconfirmedRecipient>(row))
        )
      ),
    ask: (account_id, { address, token_hash, ends_at }) =>
      writing(
        Effect.map(
          sql`
            insert into gatewarden_mail_recipient as met (account_id, address, token_hash, link_ends_at)
            values (${account_id}, ${address}, ${token_hash}, ${ends_at}::timestamptz)
            on conflict (account_id, address) do update
              set token_hash = excluded.token_hash, link_ends_at = excluded.link_ends_at where met.confirmed_at is null
            returning address`,
          (rows) => rows.length > 0
        )
      ),
    confirm: (token_hash, now) =>
      writing(
        Effect.map(
          sql`
            update gatewarden_mail_recipient set confirmed_at = coalesce(confirmed_at, ${now}::timestamptz)
            where token_hash = ${token_hash} and link_ends_at > ${now}::timestamptz returning address`,
          (rows) => rows.length > 0
        )
      )
  })
)
