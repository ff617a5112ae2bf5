import type { PrivateProvider } from "@gatewarden/contract"
import { type PrivateProviderChange, PrivateProviders } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

export const providerOf = ({ account_id: _, ...columns }: Columns): PrivateProvider => fromRow<PrivateProvider>(columns)

/** The account is locked, so that two at once do not each see room, or a provider that the other removes. */
export const lockAccount = (sql: SqlClient.SqlClient, account_id: string) =>
  sql`select id from gatewarden_account where id = ${account_id} for no key update`

export const privateProviders = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, slug: string) => sql`account_id = ${account_id} and slug = ${slug}`

  const insert = Effect.fnUntraced(function* (account_id: string, provider: PrivateProvider, limit: number) {
    yield* lockAccount(sql, account_id)
    const [row] = yield* sql`
      select count(*) as kept, count(*) filter (where slug = ${provider.slug}) as same
      from gatewarden_private_provider where account_id = ${account_id}`
    if (Number(row?.["same"]) > 0) return "taken" as const
    if (Number(row?.["kept"]) >= limit) return "full" as const
    const { data_policy, ...columns } = provider
    yield* sql`${acts.insert} into gatewarden_private_provider ${sql.insert({
      ...columns,
      account_id,
      data_policy: JSON.stringify(data_policy)
    })}`
    return "inserted" as const
  })

  const find = (account_id: string, slug: string) =>
    Effect.map(sql<Columns>`select * from gatewarden_private_provider where ${own(account_id, slug)}`, ([row]) =>
      Option.map(Option.fromUndefinedOr(row), providerOf)
    )

  const update = (account_id: string, slug: string, { data_policy, datacenters, ...change }: PrivateProviderChange) => {
    const values = [
      ...Object.entries(change).map(([name, value]) => sql`${sql(name)} = ${value}`),
      ...(datacenters === undefined ? [] : [sql`datacenters = ${datacenters}::text[]`]),
      ...(data_policy === undefined ? [] : [sql`data_policy = ${JSON.stringify(data_policy)}::jsonb`])
    ]
    if (values.length === 0) return find(account_id, slug)
    return Effect.map(
      sql<Columns>`
        ${acts.update} gatewarden_private_provider set ${sql.csv(values)} where ${own(account_id, slug)} returning *`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), providerOf)
    )
  }

  const remove = Effect.fnUntraced(function* (account_id: string, slug: string) {
    yield* lockAccount(sql, account_id)
    const used = yield* sql`
      select id from gatewarden_private_endpoint where account_id = ${account_id} and provider_slug = ${slug} limit 1`
    const found = yield* find(account_id, slug)
    if (Option.isNone(found)) return "missing" as const
    if (used.length > 0) return "used" as const
    yield* sql`${acts.delete} from gatewarden_private_provider where ${own(account_id, slug)}`
    return "removed" as const
  })

  return PrivateProviders.of({
    insert: (account_id, provider, limit) =>
      insert(account_id, provider, limit).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, slug) => reading(find(account_id, slug)),
    list: (account_id) =>
      reading(
        Effect.map(
          sql<Columns>`
            select * from gatewarden_private_provider where account_id = ${account_id} order by created_at, slug`,
          (rows) => rows.map(providerOf)
        )
      ),
    update: (account_id, slug, change) => writing(update(account_id, slug, change)),
    remove: (account_id, slug) => remove(account_id, slug).pipe(sql.withTransaction, retrying, writing)
  })
})
