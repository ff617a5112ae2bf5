import { Effect } from "effect"
import { creditGrant } from "../credit/credits.ts"
import { Credits } from "../ports/credits.ts"
import { parseUsd } from "../value/money.ts"
import { type Tables, withoutOwner } from "./tables/Tables.ts"

export const credits = (tables: Tables) => {
  const granted = (account_id: string): bigint =>
    parseUsd(tables.creditGrants.ofAccount(account_id).at(-1)?.total_usd ?? "0") ?? 0n
  return Credits.of({
    append: (account_id, draft) =>
      Effect.sync(() => {
        if (!tables.accounts.has(account_id)) return "missing"
        const made = creditGrant(draft, granted(account_id))
        if (made === undefined) return "out_of_range"
        tables.creditGrants.set(made.grant.id, { ...made.grant, account_id })
        return made.grant
      }),
    totals: (account_id) =>
      Effect.sync(() => ({
        granted_nanos: granted(account_id),
        spent_nanos: tables.spentByAccount.get(account_id) ?? 0n
      })),
    list: (account_id, { offset, limit }) =>
      Effect.sync(() =>
        tables.creditGrants
          .ofAccount(account_id)
          .toReversed()
          .slice(offset, offset + limit)
          .map(withoutOwner)
      )
  })
}
