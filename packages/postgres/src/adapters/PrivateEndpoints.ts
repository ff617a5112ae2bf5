import {
  type PrivateEndpointChange,
  type PrivateEndpointGuard,
  PrivateEndpoints,
  type StoredPrivateEndpoint
} from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, retrying, writing } from "../statements/statements.ts"
import { lockAccount } from "./PrivateProviders.ts"

export const privateEndpointOf = ({ account_id: _, ...columns }: Columns): StoredPrivateEndpoint =>
  fromRow<StoredPrivateEndpoint>(columns)

export const privateEndpoints = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, id: string) => sql`id = ${id} and account_id = ${account_id}`

  const insert = Effect.fnUntraced(function* (
    account_id: string,
    { pricing, ...endpoint }: StoredPrivateEndpoint,
    { limit, under }: { readonly limit: number; readonly under: string | undefined }
  ) {
    yield* lockAccount(sql, account_id)
    if (under !== undefined) {
      const providers = yield* sql`
        select slug from gatewarden_private_provider where account_id = ${account_id} and slug = ${under}`
      if (providers.length === 0) return "missing" as const
    }
    const [row] = yield* sql`select count(*) as kept from gatewarden_private_endpoint where account_id = ${account_id}`
    if (Number(row?.["kept"]) >= limit) return "full" as const
    yield* sql`${acts.insert} into gatewarden_private_endpoint ${sql.insert({
      ...endpoint,
      account_id,
      pricing: JSON.stringify(pricing)
    })}`
    return "inserted" as const
  })

  const exists = (account_id: string, id: string) =>
    Effect.map(sql`select id from gatewarden_private_endpoint where ${own(account_id, id)}`, (rows) => rows.length > 0)

  const guarded = ({ status, validated, deployment }: PrivateEndpointGuard) =>
    sql.and([
      sql`true`,
      ...(status === undefined ? [] : [sql`status = any(${status}::text[])`]),
      ...(validated === undefined ? [] : [sql`validated = ${validated}`]),
      ...(deployment === undefined
        ? []
        : [
            sql`base_url is not distinct from ${deployment.base_url}`,
            sql`upstream_model_id = ${deployment.upstream_model_id}`
          ])
    ])

  /** One statement: whether the change may be made is decided on the row that is written. */
  const update = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    { pricing, ...change }: PrivateEndpointChange,
    guard: PrivateEndpointGuard
  ) {
    const values = [
      ...Object.entries(change).map(([name, value]) => sql`${sql(name)} = ${value}`),
      ...(pricing === undefined ? [] : [sql`pricing = ${JSON.stringify(pricing)}::jsonb`])
    ]
    const [row] = yield* sql<Columns>`
      ${acts.update} gatewarden_private_endpoint set ${sql.csv(values)}
      where ${own(account_id, id)} and ${guarded(guard)} returning *`
    if (row !== undefined) return privateEndpointOf(row)
    return (yield* exists(account_id, id)) ? ("refused" as const) : ("missing" as const)
  })

  const remove = Effect.fnUntraced(function* (account_id: string, id: string, guard: PrivateEndpointGuard) {
    const removed = yield* sql`
      ${acts.delete} from gatewarden_private_endpoint
      where ${own(account_id, id)} and ${guarded(guard)} returning id`
    if (removed.length > 0) return "removed" as const
    return (yield* exists(account_id, id)) ? ("refused" as const) : ("missing" as const)
  })

  return PrivateEndpoints.of({
    insert: (account_id, endpoint, how) =>
      insert(account_id, endpoint, how).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, id) =>
      reading(
        Effect.map(sql<Columns>`select * from gatewarden_private_endpoint where ${own(account_id, id)}`, ([row]) =>
          Option.map(Option.fromUndefinedOr(row), privateEndpointOf)
        )
      ),
    list: (account_id) =>
      reading(
        Effect.map(
          sql<Columns>`
            select * from gatewarden_private_endpoint where account_id = ${account_id} order by created_at, id`,
          (rows) => rows.map(privateEndpointOf)
        )
      ),
    update: (account_id, id, change, guard) => writing(update(account_id, id, change, guard)),
    remove: (account_id, id, guard) => writing(remove(account_id, id, guard))
  })
})
