import { scimLimits } from "@gatewarden/contract/internal"
import {
  type DirectoryGroup,
  DirectoryGroups,
  type GroupMember,
  type MembersChange,
  foldName
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { lockDirectory, mappedMemberships, reconcileDirectory } from "../statements/reconcileDirectory.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

const groupOf = ({ account_id: _, folded_name: __, ...columns }: Columns): DirectoryGroup =>
  fromRow<DirectoryGroup>(columns)

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
const uuids = (ids: readonly string[]): string => arrayLiteral(ids.filter(isUuid))

export const directoryGroups = Effect.map(SqlClient.SqlClient, (sql) => {
  /** The users of the directory among these ids; fewer than there are ids if one is unknown. */
  const usersAmong = (account_id: string, ids: readonly string[]) =>
    sql`select id, user_id from gatewarden_directory_user where account_id = ${account_id} and id = any(${uuids(ids)}::uuid[])`

  /** Whoever holds the directory is alone with its names. */
  const isTaken = (account_id: string, { id, display_name }: DirectoryGroup) =>
    Effect.map(
      sql`
        select from gatewarden_directory_group
        where account_id = ${account_id} and id <> ${id} and folded_name = ${foldName(display_name)} limit 1`,
      (rows) => rows.length > 0
    )

  const join = (group_id: string, ids: readonly string[]) =>
    sql`insert into gatewarden_directory_group_member (group_id, member_id) select ${group_id}::uuid, unnest(${uuids(ids)}::uuid[])`

  const userIds = (rows: readonly Columns[]): readonly string[] => rows.map((row) => String(row["user_id"]))

  /** Who would join and who would leave, of those who are there and those who are named. */
  const moves = Effect.fnUntraced(function* (group_id: string, change: MembersChange) {
    const named = "all" in change ? change.all : change.add
    const there = yield* sql`
      select m.member_id as id, u.user_id from gatewarden_directory_group_member m
      join gatewarden_directory_user u on u.id = m.member_id
      where m.group_id = ${group_id}
        ${"all" in change ? sql`` : sql`and m.member_id = any(${uuids([...change.add, ...change.remove])}::uuid[])`}`
    const held = new Set(there.map((row) => String(row["id"])))
    const staying = new Set(named)
    const leaving = "all" in change ? undefined : new Set(change.remove)
    return {
      joining: named.filter((id) => !held.has(id)),
      left: there.filter((row) => {
        const id = String(row["id"])
        return !staying.has(id) && (leaving === undefined || leaving.has(id))
      })
    }
  })

  return DirectoryGroups.of({
    insert: (account_id, draft, members, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        if (yield* isTaken(account_id, draft)) return "taken" as const
        if (members.length > scimLimits.members) return "too_many_members" as const
        const known = yield* usersAmong(account_id, members)
        if (known.length < members.length) return "unknown_member" as const
        const group: DirectoryGroup = { ...draft, member_count: members.length }
        const folded_name = foldName(group.display_name)
        yield* sql`${acts.insert} into gatewarden_directory_group ${sql.insert({ account_id, ...group, folded_name })}`
        if (members.length > 0) yield* join(group.id, members)
        return { group, ...(yield* reconcileDirectory(sql, account_id, { users: userIds(known) }, settling)) }
      }).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, { ids, names, external_ids, members }, { limit, offset }) =>
      reading(
        Effect.map(
          sql`
            select * from gatewarden_directory_group where account_id = ${account_id} and (
              id = any(${uuids(ids)}::uuid[]) or folded_name = any(${arrayLiteral(names)}::text[])
              or external_id = any(${arrayLiteral(external_ids)}::text[])
              or id = any(array(
                select group_id from gatewarden_directory_group_member where member_id = any(${uuids(members)}::uuid[])
              ))
            ) order by created_at, id limit ${limit} offset ${offset}`,
          (rows) => rows.map(groupOf)
        )
      ),
    list: (account_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_directory_group",
            id: "id",
            where: sql`account_id = ${account_id}`,
            kept: { account_id, kind: "directory_group", owner: undefined }
          },
          page,
          groupOf
        )
      ),
    members: (account_id, groups) =>
      reading(
        Effect.map(
          sql`
            select m.group_id, m.member_id, u.user_name as display
            from gatewarden_directory_group_member m
            join gatewarden_directory_group g on g.id = m.group_id
            join gatewarden_directory_user u on u.id = m.member_id
            where g.account_id = ${account_id} and m.group_id = any(${uuids(groups)}::uuid[])
            order by m.group_id, m.member_id`,
          (rows) => rows.map((row) => fromRow<GroupMember>(row))
        )
      ),
    groupsOf: (account_id, users, limit) =>
      reading(
        Effect.map(
          sql`
            select m.group_id, m.member_id, g.display_name as display
            from unnest(${uuids([...new Set(users)])}::uuid[]) with ordinality as asked (id, place)
            join gatewarden_directory_group_member m on m.member_id = asked.id
            join gatewarden_directory_group g on g.id = m.group_id and g.account_id = ${account_id}
            order by asked.place, m.group_id limit ${limit}`,
          (rows) => rows.map((row) => fromRow<GroupMember>(row))
        )
      ),
    update: (account_id, id, { members: change, ...names }, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [row] =
          yield* sql`select * from gatewarden_directory_group where account_id = ${account_id} and id = ${id}`
        if (row === undefined) return "missing" as const
        const before = groupOf(row)
        const named = { ...before, ...names }
        const { joining, left } = change === undefined ? { joining: [], left: [] } : yield* moves(id, change)
        const member_count = before.member_count + joining.length - left.length
        const isChanged =
          joining.length + left.length > 0 ||
          named.display_name !== before.display_name ||
          named.external_id !== before.external_id
        if (!isChanged) return { group: before, keys: [] }
        if (yield* isTaken(account_id, named)) return "taken" as const
        const joined = joining.length === 0 ? [] : yield* usersAmong(account_id, joining)
        if (joined.length < joining.length) return "unknown_member" as const
        if (member_count > scimLimits.members) return "too_many_members" as const
        if (member_count > before.member_count) {
          const { given, mappings } = yield* mappedMemberships(sql, account_id, id)
          const more = (member_count - before.member_count) * mappings
          if (more > 0 && given + more > settling.most_memberships) return "too_many_memberships" as const
        }
        const group: DirectoryGroup = { ...named, member_count, updated_at: settling.now }
        yield* sql`
          ${acts.update} gatewarden_directory_group set display_name = ${group.display_name},
            folded_name = ${foldName(group.display_name)}, external_id = ${group.external_id},
            member_count = ${member_count}, updated_at = ${group.updated_at}
          where account_id = ${account_id} and id = ${id}`
        if (left.length > 0)
          yield* sql`
            delete from gatewarden_directory_group_member
            where group_id = ${id} and member_id = any(${uuids(left.map((gone) => String(gone["id"])))}::uuid[])`
        if (joining.length > 0) yield* join(id, joining)
        const users = [...userIds(joined), ...userIds(left)]
        return { group, ...(yield* reconcileDirectory(sql, account_id, { users }, settling)) }
      }).pipe(sql.withTransaction, retrying, writing),
    remove: (account_id, id, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const members = yield* sql`
          select u.user_id from gatewarden_directory_group_member m
          join gatewarden_directory_user u on u.id = m.member_id
          where m.group_id = ${id} and u.account_id = ${account_id}`
        yield* sql`${acts.delete} from gatewarden_group_mapping where account_id = ${account_id} and group_id = ${id}`
        const removed = yield* sql`
          ${acts.delete} from gatewarden_directory_group where account_id = ${account_id} and id = ${id} returning id`
        if (removed.length === 0) return "missing" as const
        return yield* reconcileDirectory(sql, account_id, { users: userIds(members) }, settling)
      }).pipe(sql.withTransaction, retrying, writing)
  })
})
