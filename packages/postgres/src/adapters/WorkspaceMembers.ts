import type { WorkspaceMember } from "@gatewarden/contract"
import { WorkspaceMembers, contactOf } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { pageOfIds, readPage } from "../statements/readPage.ts"
import { type Columns, timestampOf } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"

const memberOf = (columns: Columns): WorkspaceMember => {
  const row = columns as unknown as WorkspaceMember
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    user_id: row.user_id,
    role: row.role,
    created_at: timestampOf(columns["created_at"])
  }
}

const contactIn = (user_name: unknown, attributes: unknown) =>
  typeof user_name === "string" && typeof attributes === "string"
    ? contactOf({ user_name, attributes: JSON.parse(attributes) })
    : null

export const workspaceMembers = Effect.map(SqlClient.SqlClient, (sql) => {
  /** The workspace, which cannot go before the statement ends. */
  const home = (account_id: string, workspace_id: string) =>
    sql`home as materialized (
      select id from gatewarden_workspace where id = ${workspace_id} and account_id = ${account_id} for key share)`

  return WorkspaceMembers.of({
    list: (account_id, workspace_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_workspace_member",
            id: "id",
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "member", owner: workspace_id }
          },
          page,
          memberOf
        )
      ),
    add: (account_id, workspace_id, users, now) =>
      writing(
        Effect.map(
          // A membership that is there is written as it is: what nothing is done to is not returned.
          sql`
            ${acts.with} ${home(account_id, workspace_id)}, named as (
              select * from unnest(
                ${arrayLiteral(users.map(({ user_id }) => user_id))}::text[],
                ${arrayLiteral(users.map(({ id }) => id))}::uuid[]
              ) as named (user_id, id)
            ), added as (
              insert into gatewarden_workspace_member (workspace_id, user_id, id, account_id, role, created_at)
              select home.id, named.user_id, named.id, ${account_id}::uuid, 'member', ${now}::timestamptz
              from home, named order by named.user_id collate "C"
              on conflict (workspace_id, user_id) do update set user_id = excluded.user_id
              returning *
            )
            select * from added order by created_at, id`,
          (rows) => (rows.length === 0 ? "missing" : rows.map(memberOf))
        )
      ),
    remove: (account_id, workspace_id, users, now) =>
      writing(
        Effect.map(
          sql`
            ${acts.with} ${home(account_id, workspace_id)}, held as materialized (
              select user_id, by_directory from gatewarden_workspace_member
              where account_id = ${account_id} and workspace_id = ${workspace_id}
                and user_id = any(${arrayLiteral(users)}::text[])
              order by user_id for update
            ), verdict as materialized (
              select exists (
                select from gatewarden_api_key
                where account_id = ${account_id} and workspace_id = ${workspace_id}
                  and user_id in (select user_id from held)
                  and not disabled and (expires_at is null or expires_at > ${now})
              ) as busy, exists (select from held where by_directory) as given
            ), removed as (
              delete from gatewarden_workspace_member
              where account_id = ${account_id} and workspace_id = ${workspace_id}
                and user_id in (select user_id from held) and not (select busy or given from verdict)
              returning user_id
            )
            select busy, given, exists (select from home) as found, (select count(*) from removed) as removed from verdict`,
          ([row]) => {
            if (row?.["found"] !== true) return "missing"
            if (row["busy"] === true) return "has_keys"
            return row["given"] === true ? "by_directory" : Number(row["removed"])
          }
        )
      ),
    users: (account_id, page, now) =>
      reading(
        Effect.map(
          sql`
            select counted.total_count, page.id, provisioned.user_name, provisioned.attributes, exists (
                select from gatewarden_api_key k
                where k.account_id = ${account_id} and k.user_id = page.id and k.kind = 'management' and not k.disabled
                  and (k.expires_at is null or k.expires_at > ${now})
              ) as is_admin
            from ${pageOfIds(
              sql,
              {
                ...{
                  table: "gatewarden_named_user",
                  id: "user_id",
                  order: "id",
                  where: sql`account_id = ${account_id}`
                },
                kept: { account_id, kind: "user", owner: undefined }
              },
              page
            )}
            left join gatewarden_directory_user provisioned
              on provisioned.account_id = ${account_id} and provisioned.user_id = page.id
            order by page.id`,
          (rows) => ({
            data: rows.flatMap(({ id, is_admin, user_name, attributes }) =>
              id === null
                ? []
                : [{ id: String(id), is_admin: is_admin === true, contact: contactIn(user_name, attributes) }]
            ),
            total_count: Number(rows[0]?.["total_count"] ?? 0)
          })
        )
      )
  })
})
