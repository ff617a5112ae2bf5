import type { Workspace } from "@gatewarden/contract"
import { type StoredWorkspace, type WorkspaceChange, Workspaces, shownWorkspace } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { deleteInParts } from "../statements/deleteInParts.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, retrying, unlessMissing, whenTaken, writing } from "../statements/statements.ts"
import { updateRow } from "../statements/updateRow.ts"

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Arrays as text: the driver takes none that mixes small and large numbers. */
const columnsOf = (fields: WorkspaceChange | StoredWorkspace): Columns =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? arrayLiteral(value) : value])
  )

const workspaceOf = ({ account_id: _, has_destination, ...row }: Columns): Workspace =>
  shownWorkspace(fromRow<StoredWorkspace>(row), has_destination === true)

/** Whether a row has an enabled destination, which shows where nobody has set whether its usage is delivered. */
const hasDestination = (row: string) =>
  `exists (select from gatewarden_destination d where d.workspace_id = ${row}.id and d.enabled) as has_destination`

export const workspaces = Effect.map(Effect.all([SqlClient.SqlClient, fixedStatements]), ([sql, { write }]) => {
  const beside = sql.literal(hasDestination("gatewarden_workspace"))
  const find = (account_id: string, idOrSlug: string) =>
    reading(
      Effect.map(
        // A slug may look like an id; the id wins.
        uuidPattern.test(idOrSlug)
          ? sql`
              select *, ${beside} from gatewarden_workspace
              where account_id = ${account_id} and (id = ${idOrSlug} or slug = ${idOrSlug})
              order by id = ${idOrSlug} desc limit 1`
          : sql`select *, ${beside} from gatewarden_workspace where account_id = ${account_id} and slug = ${idOrSlug}`,
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), workspaceOf)
      )
    )
  return Workspaces.of({
    find,
    insert: (account_id, workspace) =>
      writing(
        whenTaken(
          Effect.as(
            sql`${acts.insert} into gatewarden_workspace ${sql.insert({ ...columnsOf(workspace), account_id })}`,
            true
          ),
          false
        )
      ),
    list: (account_id, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_workspace",
            id: "id",
            where: sql`account_id = ${account_id}`,
            kept: { account_id, kind: "workspace", owner: undefined }
          },
          page,
          workspaceOf,
          { columns: sql.literal(`, ${hasDestination("held")}`), join: sql`` }
        )
      ),
    update: (account_id, workspace_id, change, now) => {
      const columns = columnsOf(change)
      if (Object.keys(columns).length === 0)
        return Effect.map(find(account_id, workspace_id), (found) =>
          Option.getOrElse(
            Option.filter(found, ({ id }) => id === workspace_id),
            () => "missing" as const
          )
        )
      return writing(
        whenTaken(
          Effect.gen(function* () {
            const [row] = yield* updateRow(
              write,
              "gatewarden_workspace",
              { account_id, id: workspace_id },
              columns,
              now
            )
            if (row === undefined) return "missing" as const
            if (row["is_observability_broadcast_enabled"] !== null) return workspaceOf(row)
            const [shown] = yield* sql<Columns>`
              select exists (
                select from gatewarden_destination where workspace_id = ${workspace_id}::uuid and enabled
              ) as has_destination`
            return workspaceOf({ ...row, ...shown })
          }),
          "slug_taken" as const
        )
      )
    },
    remove: Effect.fnUntraced(function* (account_id, workspace_id, { force, now }) {
      const isDead = sql`(${force} or disabled or coalesce(expires_at <= ${now}, false))`
      const [live] = yield* reading(sql`
        select 1 from gatewarden_api_key
        where account_id = ${account_id} and workspace_id = ${workspace_id} and not ${isDead} limit 1`)
      if (live !== undefined) return "has_keys" as const
      const within = sql`account_id = ${account_id} and workspace_id = ${workspace_id}`
      yield* deleteInParts(sql, "gatewarden_api_key", sql`${within} and ${isDead}`)
      yield* deleteInParts(sql, "gatewarden_workspace_member", within)
      return yield* Effect.gen(function* () {
        // Locked first, so that a key that is being made in it is waited for.
        yield* sql`select id from gatewarden_workspace where account_id = ${account_id} and id = ${workspace_id} for update`
        yield* sql`
          ${acts.delete} from gatewarden_api_key where account_id = ${account_id} and workspace_id = ${workspace_id}
            and ${isDead}`
        const removed = yield* sql`
          ${acts.delete} from gatewarden_workspace where account_id = ${account_id} and id = ${workspace_id} returning id`
        return removed.length > 0 ? ("removed" as const) : ("missing" as const)
        // A key refers to its workspace without a cascade, so a live key keeps it.
      }).pipe(sql.withTransaction, (statement) => unlessMissing(statement, "has_keys" as const), retrying, writing)
    })
  })
})
