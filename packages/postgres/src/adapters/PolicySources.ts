import type { KeyRateLimits } from "@gatewarden/contract"
import {
  type AppliedGuardrail,
  type AuthenticatedKey,
  PolicySources,
  type WorkspaceLimit,
  defaultAccountName,
  keyFields
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { keyOf, keyOfSecret, secretsOfKey } from "../statements/keyRows.ts"
import { type Columns, fromRow, usdOf } from "../statements/rows.ts"
import { askedInstant, reading, writing } from "../statements/statements.ts"
import { guardrailOf } from "./Guardrails.ts"

/** Columns of the key and of its workspace come with these prefixes, beside those of one of its guardrails. */
const prefix = "key__"
const workspacePrefix = "workspace__"

const keyColumns = keyFields.map((name) => (name === "limit" ? "limit_nanos" : name))

/** A budget in JSON, where amounts are texts so that they stay exact. */
interface BudgetJson {
  readonly id: string
  readonly interval: WorkspaceLimit["interval"]
  readonly limit_nanos: string
  readonly include_byok: boolean
}

const split = (row: Columns): { readonly key: Columns; readonly rest: Columns } => {
  const key: Record<string, unknown> = {}
  const rest: Record<string, unknown> = {}
  for (const name in row) {
    if (name.startsWith(prefix)) key[name.slice(prefix.length)] = row[name]
    else if (!name.startsWith(workspacePrefix)) rest[name] = row[name]
  }
  return { key, rest }
}

/** One statement: a row for each guardrail that applies to the key, or one without any. */
export const policySources = Effect.map(SqlClient.SqlClient, (sql) => {
  const key = sql.csv(keyColumns.map((name) => sql`k.${sql(name)} as ${sql(prefix + name)}`))
  return PolicySources.of({
    of: (account_id, secret_hash) =>
      Effect.flatMap(
        askedInstant,
        (now) => sql`
            select ${key}, w.id as key__default_workspace_id, a.name = ${defaultAccountName} as key__is_operator,
              a.suspended_at is not null as key__is_suspended, ${sql.literal(secretsOfKey("k.hash", "asked.at"))} as key__secrets,
              own.default_text_model as workspace__default_text_model, own.default_provider_sort as workspace__default_provider_sort,
              own.disabled_server_tools as workspace__disabled_server_tools,
              (select json_agg(json_build_object('id', b.id, 'interval', b.interval, 'limit_nanos', b.limit_nanos::text, 'include_byok', b.include_byok))
                from gatewarden_workspace_budget b where b.workspace_id = k.workspace_id) as budgets,
              (select json_build_object('requests_per_minute', r.requests_per_minute, 'tokens_per_minute', r.tokens_per_minute, 'parallel_requests', r.parallel_requests)
                from gatewarden_key_rate_limit r where r.key_hash = k.hash) as rate_limits,
              applied.*
            from (values (${secret_hash}::text, ${now}::timestamptz)) as asked (hash, at)
            join gatewarden_api_key k on k.hash = ${sql.literal(keyOfSecret("asked.hash"))}
            join gatewarden_account a on a.id = k.account_id
            left join gatewarden_workspace w on w.id = a.default_workspace_id
            left join gatewarden_workspace own on own.id = k.workspace_id
            left join lateral (
              select 'workspace' as scope, g.* from gatewarden_guardrail g where g.id = own.default_guardrail_id
              union all
              select 'member', g.* from gatewarden_guardrail_member m join gatewarden_guardrail g on g.id = m.guardrail_id
                where m.account_id = k.account_id and m.user_id = k.user_id
              union all
              select 'key', g.* from gatewarden_guardrail_key c join gatewarden_guardrail g on g.id = c.guardrail_id
                where c.key_hash = k.hash
            ) applied on true
            where k.account_id = ${account_id}`
      ).pipe(
        Effect.map((rows) => {
          const first = rows[0]
          if (first === undefined) return Option.none()
          const budgets = (first["budgets"] ?? []) as readonly BudgetJson[]
          return Option.some({
            key: keyOf<AuthenticatedKey>(split(first).key),
            guardrails: rows.flatMap((row): readonly AppliedGuardrail[] => {
              const { scope, budgets: _, rate_limits: __, ...columns } = split(row).rest
              if (scope === null) return []
              return [{ scope: scope as AppliedGuardrail["scope"], guardrail: guardrailOf(columns) }]
            }),
            workspace: {
              limits: budgets.map(({ id, interval, limit_nanos }) => ({
                id,
                interval,
                limit_usd: usdOf(BigInt(limit_nanos)) ?? 0
              })),
              include_byok: budgets.some(({ include_byok }) => include_byok),
              default_text_model: (first[`${workspacePrefix}default_text_model`] ?? "") as string,
              default_provider_sort: (first[`${workspacePrefix}default_provider_sort`] ?? "") as string,
              disabled_server_tools: (first[`${workspacePrefix}disabled_server_tools`] ?? []) as readonly string[]
            },
            rate_limits: (first["rate_limits"] ?? null) as KeyRateLimits | null
          })
        }),
        reading
      ),
    formerOwner: (account_id, key_hash) =>
      reading(
        Effect.map(
          sql<Columns>`
            select user_id, external_user from gatewarden_deleted_key where hash = ${key_hash} and account_id = ${account_id}`,
          ([row]) =>
            Option.map(Option.fromUndefinedOr(row), fromRow<Pick<AuthenticatedKey, "user_id" | "external_user">>)
        )
      ),
    limitRates: (account_id, key_hash, change) => {
      const sent = (name: keyof KeyRateLimits) => sql`${change[name] ?? null}::bigint`
      const kept = Object.keys(change).map((name) => sql`${sql(name)} = excluded.${sql(name)}`)
      return writing(
        Effect.map(
          sql`
            ${acts.insert} into gatewarden_key_rate_limit
              (key_hash, account_id, requests_per_minute, tokens_per_minute, parallel_requests)
            select hash, account_id, ${sent("requests_per_minute")}, ${sent("tokens_per_minute")}, ${sent("parallel_requests")}
            from gatewarden_api_key
            where hash = ${key_hash} and account_id = ${account_id} and kind = 'normal' for key share
            on conflict (key_hash) do update set ${sql.csv([sql`key_hash = excluded.key_hash`, ...kept])}
            returning requests_per_minute, tokens_per_minute, parallel_requests`,
          (rows) => Option.map(Option.fromUndefinedOr(rows[0]), fromRow<KeyRateLimits>)
        )
      )
    }
  })
})
