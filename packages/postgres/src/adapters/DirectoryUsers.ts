import { type DirectoryUser, DirectoryUsers, foldName } from "@gatewarden/core/internal"
import { Effect, Equal, Result } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { lockDirectory, reconcileDirectory, wouldLockOut } from "../statements/reconcileDirectory.ts"
import { reading, retrying, writing } from "../statements/statements.ts"

const columnsOf = ({ attributes, ...user }: DirectoryUser) => ({
  ...user,
  folded_name: foldName(user.user_name),
  attributes: JSON.stringify(attributes)
})

const userOf = ({ account_id: _, folded_name: __, attributes, ...columns }: Columns): DirectoryUser => ({
  ...fromRow<Omit<DirectoryUser, "attributes">>(columns),
  attributes: JSON.parse(String(attributes)) as DirectoryUser["attributes"]
})

export const directoryUsers = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Whoever holds the directory is alone with its names. */
  const isTaken = (account_id: string, { id, user_id, user_name }: DirectoryUser) =>
    Effect.map(
      sql`
        select from gatewarden_directory_user
        where account_id = ${account_id} and id <> ${id} and (user_id = ${user_id} or folded_name = ${foldName(user_name)})
        limit 1`,
      (rows) => rows.length > 0
    )

  return DirectoryUsers.of({
    insert: (account_id, user, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        if (yield* isTaken(account_id, user)) return "taken" as const
        const gone = user.active ? [] : [user.user_id]
        if (yield* wouldLockOut(sql, account_id, gone, settling)) return "last_management_key" as const
        yield* sql`${acts.insert} into gatewarden_directory_user ${sql.insert({ account_id, ...columnsOf(user) })}`
        return yield* reconcileDirectory(sql, account_id, { users: [], gone }, settling)
      }).pipe(sql.withTransaction, retrying, writing),
    find: (account_id, { ids, names, external_ids }, page) =>
      reading(
        Effect.map(
          readPage(
            sql,
            {
              table: "gatewarden_directory_user",
              id: "id",
              long: ["attributes"],
              where: sql`account_id = ${account_id} and (
                id = any(${arrayLiteral(ids)}::uuid[]) or folded_name = any(${arrayLiteral(names)}::text[])
                or external_id = any(${arrayLiteral(external_ids)}::text[])
              )`,
              kept: undefined
            },
            page,
            userOf
          ),
          ({ data }) => data
        )
      ),
    list: (account_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_directory_user",
            id: "id",
            long: ["attributes"],
            where: sql`account_id = ${account_id}`,
            kept: { account_id, kind: "directory_user", owner: undefined }
          },
          page,
          userOf
        )
      ),
    update: (account_id, id, revise, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [row] =
          yield* sql`select * from gatewarden_directory_user where account_id = ${account_id} and id = ${id}`
        if (row === undefined) return "missing" as const
        const user = userOf(row)
        const revision = revise(user)
        if (Result.isFailure(revision)) return { refused: revision.failure }
        const revised = revision.success
        const gone = revised.active ? [] : [revised.user_id]
        if (yield* wouldLockOut(sql, account_id, gone, settling)) return "last_management_key" as const
        if (Equal.equals(revised, user)) {
          const settled = user.active
            ? { keys: [] }
            : yield* reconcileDirectory(sql, account_id, { users: [], gone }, settling)
          return { user, ...settled }
        }
        if (yield* isTaken(account_id, revised)) return "taken" as const
        const next = { ...revised, updated_at: settling.now }
        const { id: _, ...columns } = columnsOf(next)
        yield* sql`${acts.update} gatewarden_directory_user set ${sql.update(columns)} where account_id = ${account_id} and id = ${id}`
        const users = user.active === next.active ? [] : [next.user_id]
        return { user: next, ...(yield* reconcileDirectory(sql, account_id, { users, gone }, settling)) }
      }).pipe(sql.withTransaction, retrying, writing),
    isInactive: (account_id, user_id) =>
      reading(
        Effect.map(
          sql`
            select from gatewarden_directory_user
            where account_id = ${account_id} and user_id = ${user_id} and not active`,
          (rows) => rows.length > 0
        )
      ),
    remove: (account_id, id, settling) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, account_id)
        const [found] =
          yield* sql`select user_id from gatewarden_directory_user where account_id = ${account_id} and id = ${id}`
        if (found === undefined) return "missing" as const
        const gone = [String(found["user_id"])]
        if (yield* wouldLockOut(sql, account_id, gone, settling)) return "last_management_key" as const
        yield* sql`
          ${acts.update} gatewarden_directory_group g set member_count = member_count - 1, updated_at = ${settling.now}
          where g.account_id = ${account_id} and g.id in (
            select m.group_id from gatewarden_directory_group_member m
            join gatewarden_directory_user u on u.id = m.member_id
            where m.member_id = ${id} and u.account_id = ${account_id}
          )`
        yield* sql`${acts.delete} from gatewarden_directory_user where account_id = ${account_id} and id = ${id}`
        return yield* reconcileDirectory(sql, account_id, { users: [], gone }, settling)
      }).pipe(sql.withTransaction, retrying, writing)
  })
})
