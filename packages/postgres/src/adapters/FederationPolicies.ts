import { type FederationPolicy, federationPoliciesPerWorkspace } from "@gatewarden/contract/internal"
import { type ApiKey, FederationPolicies, type FederationPolicyChange, type TokenUse } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { lockKeyOwner, lockWorkspace } from "../statements/lockWorkspace.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow, nanosOf, usdOf } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"
import { keyColumns } from "../statements/keyRows.ts"

const policyOf = ({ account_id: _, limit_nanos, ...columns }: Columns): FederationPolicy =>
  fromRow<FederationPolicy>({ ...columns, limit: usdOf(limit_nanos) })

const claimsText = (claims: FederationPolicy["claims"]): string | null => claims && JSON.stringify(claims)

export const federationPolicies = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, id: string) => sql`id = ${id} and account_id = ${account_id}`

  const insert = Effect.fnUntraced(function* (account_id: string, { limit, claims, ...policy }: FederationPolicy) {
    const { workspace_id } = policy
    if (!(yield* lockWorkspace(sql, account_id, workspace_id))) return "missing" as const
    const [row] = yield* sql`
      select count(*) as kept from gatewarden_federation_policy
      where workspace_id = ${workspace_id} and account_id = ${account_id}`
    if (Number(row?.["kept"]) >= federationPoliciesPerWorkspace) return "full" as const
    yield* sql`${acts.insert} into gatewarden_federation_policy ${sql.insert({
      ...policy,
      account_id,
      limit_nanos: nanosOf(limit),
      claims: claimsText(claims)
    })}`
    return "inserted" as const
  })

  const find = (account_id: string, id: string) =>
    Effect.map(sql<Columns>`select * from gatewarden_federation_policy where ${own(account_id, id)}`, ([row]) =>
      Option.map(Option.fromUndefinedOr(row), policyOf)
    )

  /** Decided on the row that is written. */
  const update = (
    account_id: string,
    id: string,
    { limit, claims, ...change }: FederationPolicyChange,
    now: string
  ) => {
    const values = [
      ...Object.entries(change).map(([name, value]) => [name, sql`${value}`] as const),
      ...(limit === undefined ? [] : [["limit_nanos", sql`${nanosOf(limit)}::bigint`] as const]),
      ...(claims === undefined ? [] : [["claims", sql`${claimsText(claims)}::jsonb`] as const])
    ]
    if (values.length === 0) return find(account_id, id)
    return Effect.map(
      sql<Columns>`
        ${acts.update} gatewarden_federation_policy set
          ${sql.csv(values.map(([name, value]) => sql`${sql(name)} = ${value}`))},
          updated_at = case
            when ${sql.or(values.map(([name, value]) => sql`${sql(name)} is distinct from ${value}`))}
            then ${now}::timestamptz else updated_at end
        where ${own(account_id, id)} returning *`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), policyOf)
    )
  }

  /**
   * The workspace is locked before the policy, as its deletion does, so that the two cannot wait for each other. Whoever disables the policy
   * waits for the key.
   */
  const issue = Effect.fnUntraced(function* (key: ApiKey, { policy_id, use_id, ends_at }: TokenUse) {
    const { account_id, workspace_id } = key
    const places = yield* sql`
      select id from gatewarden_workspace where id = ${workspace_id} and account_id = ${account_id} for key share`
    const [owner] = yield* lockKeyOwner(sql, account_id, key.user_id)
    if (owner?.["is_inactive"] === true) return "missing" as const
    const policies = yield* sql`
      select id from gatewarden_federation_policy where ${own(account_id, policy_id)} and not disabled for share`
    if (places.length === 0 || policies.length === 0) return "missing" as const
    const noted = yield* sql`
      insert into gatewarden_token_exchange ${sql.insert({
        account_id,
        use_id,
        key_hash: key.hash,
        key_ends_at: key.expires_at,
        ends_at
      })} on conflict (account_id, use_id) do nothing returning use_id`
    if (noted.length === 0) return "used" as const
    yield* sql`${acts.insert} into gatewarden_api_key ${sql.insert(keyColumns(key))}`
    return "issued" as const
  })

  return FederationPolicies.of({
    insert: (account_id, policy) => insert(account_id, policy).pipe(sql.withTransaction, writing),
    find: (account_id, id) => reading(find(account_id, id)),
    named: (id) =>
      reading(
        Effect.map(
          sql<Columns>`
            select p.* from gatewarden_federation_policy p join gatewarden_account a on a.id = p.account_id
            where p.id = ${id} and a.suspended_at is null`,
          ([row]) =>
            Option.map(Option.fromUndefinedOr(row), (row) => ({
              account_id: row["account_id"] as string,
              policy: policyOf(row)
            }))
        )
      ),
    list: (account_id, { workspace_id }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_federation_policy",
            id: "id",
            long: ["claims"],
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "federation_policy", owner: workspace_id }
          },
          page,
          policyOf
        )
      ),
    update: (account_id, id, change, now) => writing(update(account_id, id, change, now)),
    remove: (account_id, id) =>
      writing(
        Effect.map(
          sql`${acts.delete} from gatewarden_federation_policy where ${own(account_id, id)} returning id`,
          (rows) => rows.length > 0
        )
      ),
    issue: (key, use) => issue(key, use).pipe(sql.withTransaction, writing)
  })
})
