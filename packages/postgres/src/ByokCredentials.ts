import type { ByokCredential } from "@gatewarden/contract"
import { type ByokChange, ByokCredentials, type SealedCredential, type SealedKey } from "@gatewarden/core/effect"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { holdWorkspace } from "./holdWorkspace.ts"
import { readPage } from "./readPage.ts"
import { type Columns, fromRow } from "./rows.ts"
import { reading, writing } from "./statements.ts"

const credentialOf = ({ account_id: _, sealed_key: __, ...columns }: Columns): ByokCredential =>
  fromRow<ByokCredential>(columns)

export const byokCredentials = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, id: string) => sql`id = ${id} and account_id = ${account_id}`

  /** The next place in a group. Exact while the workspace is held. */
  const nextPlace = (workspace_id: string, provider: string, is_fallback: boolean) => sql`
    select coalesce(max(sort_order) + 1, 0) from gatewarden_byok_credential
    where workspace_id = ${workspace_id} and provider = ${provider} and is_fallback = ${is_fallback}`

  const insert = Effect.fnUntraced(function* (
    account_id: string,
    credential: Omit<ByokCredential, "sort_order">,
    sealed_key: Uint8Array
  ) {
    const { workspace_id, provider, is_fallback } = credential
    if (!(yield* holdWorkspace(sql, account_id, workspace_id))) return Option.none<ByokCredential>()
    const columns = Object.entries({ ...credential, account_id, sealed_key })
    const rows = yield* sql`
      insert into gatewarden_byok_credential (${sql.csv(columns.map(([name]) => sql`${sql(name)}`))}, sort_order)
      values (${sql.csv(columns.map(([, value]) => sql`${value}`))}, (${nextPlace(workspace_id, provider, is_fallback)}))
      returning *`
    return Option.map(Option.fromUndefinedOr(rows[0]), credentialOf)
  })

  /** One statement: whether the change may be, and whether it moves the credential, is decided on the row that is written. */
  const update = Effect.fnUntraced(function* (account_id: string, id: string, change: ByokChange & Partial<SealedKey>) {
    const { is_fallback, is_byok_only } = change
    const columns = Object.entries(change)
    if (columns.length > 0) {
      const rows = yield* sql`
        update gatewarden_byok_credential as changed set ${sql.csv([
          ...columns.map(([name, value]) => sql`${sql(name)} = ${value}`),
          ...(is_fallback === undefined
            ? []
            : [
                sql`sort_order = case when is_fallback = ${is_fallback} then sort_order else (
                  select coalesce(max(o.sort_order) + 1, 0) from gatewarden_byok_credential o
                  where o.workspace_id = changed.workspace_id and o.provider = changed.provider
                    and o.is_fallback = ${is_fallback}) end`
              ])
        ])}
        where ${own(account_id, id)}
          and not (${is_fallback ?? sql`is_fallback`} and ${is_byok_only ?? sql`is_byok_only`})
        returning *`
      if (rows[0] !== undefined) return credentialOf(rows[0])
    }
    const rows = yield* sql`select * from gatewarden_byok_credential where ${own(account_id, id)}`
    if (rows[0] === undefined) return "missing"
    return columns.length === 0 ? credentialOf(rows[0]) : "only_and_fallback"
  })

  /** The workspace of a credential never changes, so it can be read before it is held. */
  const holdWorkspaceOf = Effect.fnUntraced(function* (account_id: string, id: string) {
    const rows = yield* sql`select workspace_id from gatewarden_byok_credential where ${own(account_id, id)}`
    const workspace_id = rows[0]?.["workspace_id"]
    return typeof workspace_id === "string" && (yield* holdWorkspace(sql, account_id, workspace_id))
  })

  return ByokCredentials.of({
    insert: (account_id, credential, sealed_key) =>
      insert(account_id, credential, sealed_key).pipe(sql.withTransaction, writing),
    find: (account_id, id) =>
      reading(
        Effect.map(sql`select * from gatewarden_byok_credential where ${own(account_id, id)}`, (rows) =>
          Option.map(Option.fromUndefinedOr(rows[0]), credentialOf)
        )
      ),
    update: (account_id, id, change) =>
      writing(
        change.is_fallback === undefined
          ? update(account_id, id, change)
          : Effect.gen(function* () {
              if (!(yield* holdWorkspaceOf(account_id, id))) return "missing" as const
              return yield* update(account_id, id, change)
            }).pipe(sql.withTransaction)
      ),
    list: (account_id, { workspace_id, provider }, page) =>
      reading(
        readPage(
          sql,
          "gatewarden_byok_credential",
          sql.and([
            sql`account_id = ${account_id}`,
            sql`workspace_id = ${workspace_id}`,
            ...(provider === undefined ? [] : [sql`provider = ${provider}`])
          ]),
          page,
          credentialOf
        )
      ),
    sealed: (account_id, workspace_id, provider) =>
      reading(
        Effect.map(
          sql`
            select * from gatewarden_byok_credential
            where account_id = ${account_id} and workspace_id = ${workspace_id} and provider = ${provider}`,
          (rows) => rows.map(({ account_id: _, ...columns }) => fromRow<SealedCredential>(columns))
        )
      )
  })
})
