import { type GroupMapping, GroupMappings, type Settling } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import {
  type Affected,
  lockDirectory,
  mappedMemberships,
  reconcileDirectory
} from "../statements/reconcileDirectory.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

const mappingOf = ({ account_id: _, ...columns }: Columns): GroupMapping => fromRow<GroupMapping>(columns)

export const groupMappings = Effect.map(SqlClient.SqlClient, (sql) => {
  const settle = Effect.fnUntraced(function* (
    account_id: string,
    group_id: string,
    settling: Settling,
    kept: Pick<Affected, "kept"> = {}
  ) {
    const members = yield* sql`
      select u.user_id from gatewarden_directory_group_member m join gatewarden_directory_user u on u.id = m.member_id
      where m.group_id = ${group_id}`
    const users = members.map((row) => String(row["user_id"]))
    return yield* reconcileDirectory(sql, account_id, { users, ...kept }, settling)
  })

  return GroupMappings.of({
    insert: (account_id, draft, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [group] = yield* sql`
          select member_count from gatewarden_directory_group where account_id = ${account_id} and id = ${draft.group_id}`
        if (group === undefined) return "no_group" as const
        const places = yield* sql`
          select from gatewarden_workspace where account_id = ${account_id} and id = ${draft.workspace_id} for key share`
        if (places.length === 0) return "no_workspace" as const
        const [held] = yield* sql`
          select * from gatewarden_group_mapping
          where account_id = ${account_id} and group_id = ${draft.group_id} and workspace_id = ${draft.workspace_id}`
        const mapping = held === undefined ? draft : mappingOf(held)
        if (mapping.role !== draft.role) return "other_role" as const
        if (held === undefined) {
          const more = Number(group["member_count"])
          const { given } = yield* mappedMemberships(sql, account_id, mapping.group_id)
          if (more > 0 && given + more > settling.most_memberships) return "too_many_memberships" as const
          yield* sql`${acts.insert} into gatewarden_group_mapping ${sql.insert({ account_id, ...mapping })}`
        }
        return { mapping, ...(yield* settle(account_id, mapping.group_id, settling)) }
      }).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, id) =>
      reading(
        Effect.map(
          sql`select * from gatewarden_group_mapping where account_id = ${account_id} and id = ${id}`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), mappingOf)
        )
      ),
    list: (account_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_group_mapping",
            id: "id",
            where: sql`account_id = ${account_id}`,
            kept: { account_id, kind: "group_mapping", owner: undefined }
          },
          page,
          mappingOf
        )
      ),
    update: (account_id, id, role, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [row] = yield* sql`
          ${acts.update} gatewarden_group_mapping set role = ${role},
            updated_at = case when role = ${role} then updated_at else ${settling.now}::timestamptz end
          where account_id = ${account_id} and id = ${id} returning *`
        if (row === undefined) return "missing" as const
        const mapping = mappingOf(row)
        return { mapping, ...(yield* settle(account_id, mapping.group_id, settling)) }
      }).pipe(sql.withTransaction, retrying, writing),
    remove: (account_id, id, keep, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [row] = yield* sql`
          ${acts.delete} from gatewarden_group_mapping where account_id = ${account_id} and id = ${id} returning group_id, workspace_id`
        if (row === undefined) return "missing" as const
        const kept = keep ? { kept: String(row["workspace_id"]) } : {}
        return yield* settle(account_id, String(row["group_id"]), settling, kept)
      }).pipe(sql.withTransaction, retrying, writing)
  })
})
