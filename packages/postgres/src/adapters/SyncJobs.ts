import { type SyncJob, SyncJobs } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { lockDirectory, reconcileDirectory } from "../statements/reconcileDirectory.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

const jobOf = ({ account_id: _, after: __, ...columns }: Columns): SyncJob => fromRow<SyncJob>(columns)

export const syncJobs = Effect.map(SqlClient.SqlClient, (sql) =>
  SyncJobs.of({
    start: (account_id, id, now) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [last] = yield* sql`
          select * from gatewarden_directory_sync where account_id = ${account_id} and finished_at is null`
        if (last !== undefined) return jobOf(last)
        yield* sql`${acts.delete} from gatewarden_directory_sync where account_id = ${account_id}`
        const [job = {}] = yield* sql`
          ${acts.insert} into gatewarden_directory_sync (account_id, id, status, synced_groups, created_at)
          values (${account_id}, ${id}, 'queued', 0, ${now}) returning *`
        return jobOf(job)
      }).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, id) =>
      reading(
        Effect.map(
          sql`select * from gatewarden_directory_sync where account_id = ${account_id} and id = ${id}`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), jobOf)
        )
      ),
    advance: (now, after) =>
      Effect.gen(function* () {
        const [next] = yield* sql`
          select account_id from gatewarden_directory_sync where finished_at is null
          order by account_id > ${after}::uuid desc, account_id limit 1`
        if (next === undefined) return { handled: 0, account_id: null, keys: [] }
        const account_id = String(next["account_id"])
        yield* lockDirectory(sql, account_id)
        const [job] = yield* sql`
          select * from gatewarden_directory_sync where account_id = ${account_id} and finished_at is null`
        // Another process ended it meanwhile.
        if (job === undefined) return { handled: 1, account_id, keys: [] }
        const [group] = yield* sql`
          select id from gatewarden_directory_group
          where account_id = ${account_id} and (${job["after"]}::uuid is null or id > ${job["after"]}::uuid)
          order by id limit 1`
        if (group === undefined) {
          yield* sql`
            ${acts.update} gatewarden_directory_sync set status = 'succeeded', finished_at = ${now}::timestamptz,
              started_at = coalesce(started_at, ${now}::timestamptz)
            where account_id = ${account_id}`
          return { handled: 1, account_id, keys: [] }
        }
        yield* sql`
          ${acts.update} gatewarden_directory_sync set status = 'running', synced_groups = synced_groups + 1,
            after = ${group["id"]}::uuid, started_at = coalesce(started_at, ${now}::timestamptz)
          where account_id = ${account_id}`
        const members = yield* sql`
          select u.user_id from gatewarden_directory_group_member m
          join gatewarden_directory_user u on u.id = m.member_id where m.group_id = ${group["id"]}::uuid`
        const users = members.map((row) => String(row["user_id"]))
        const { keys } = yield* reconcileDirectory(sql, account_id, { users }, { now, spared: "" })
        return { handled: 1, account_id, keys: keys.map((key) => ({ account_id, ...key })) }
      }).pipe(sql.withTransaction, retrying, writing)
  })
)
