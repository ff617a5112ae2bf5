import type { ErasureObstacle } from "@gatewarden/contract"
import { obstaclesOf, type Person } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

type Counts = Readonly<Partial<Record<ErasureObstacle["kind"], number>>>

/** What could still act in the person's name, or is being recorded of it. Rule: access#erasures. */
export const findObstacles = (sql: SqlClient.SqlClient, account_id: string, { kind, name }: Person, now: string) => {
  const liveKeys = sql`account_id = ${account_id}::uuid and not disabled and (expires_at > ${now}::timestamptz) is not false`
  const found =
    kind === "external_user"
      ? sql<Counts>`
          select (select count(*) from gatewarden_api_key where ${liveKeys} and external_user = ${name}::text)::int as live_key,
            (select count(*) from gatewarden_hold where account_id = ${account_id}::uuid and state = 'open' and key_hash in (
              select hash from gatewarden_api_key where account_id = ${account_id}::uuid and external_user = ${name}::text
              union all
              select hash from gatewarden_deleted_key where account_id = ${account_id}::uuid and external_user = ${name}::text
            ))::int as open_hold,
            (select count(*) from gatewarden_usage_staging
              where account_id = ${account_id}::uuid and external_user = ${name}::text)::int as import`
      : sql<Counts>`
          select (
              select count(*) from gatewarden_api_key where ${liveKeys} and (user_id = ${name}::text or creator_user_id = ${name}::text)
            )::int as live_key, (
              select count(*) from gatewarden_workspace_member where account_id = ${account_id}::uuid and user_id = ${name}::text
            )::int as membership, (
              select count(*) from gatewarden_directory_user
              where account_id = ${account_id}::uuid and user_id = ${name}::text and active
            )::int as directory_user, (
              select count(*) from gatewarden_authorization_code
              where account_id = ${account_id}::uuid and user_id = ${name}::text and spent_at is null
                and expires_at > ${now}::timestamptz
            )::int as authorization_code, (
              select count(*) from gatewarden_federation_policy
              where workspace_id in (select id from gatewarden_workspace where account_id = ${account_id}::uuid)
                and account_id = ${account_id}::uuid and user_id = ${name}::text and not disabled
            )::int as federation_policy, (
              select count(*) from gatewarden_hold
              where account_id = ${account_id}::uuid and state = 'open' and (user_id = ${name}::text or member = ${name}::text)
            )::int as open_hold, (
              select count(*) from gatewarden_usage_staging where account_id = ${account_id}::uuid and user_id = ${name}::text
            )::int as import`
  return Effect.map(found, ([counts = {}]) => obstaclesOf(counts))
}
