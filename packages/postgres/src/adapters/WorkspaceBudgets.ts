import type { WorkspaceBudget } from "@gatewarden/contract"
import { type BudgetSet, WorkspaceBudgets, changedBudget, sortBudgets } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { lockWorkspace } from "../statements/lockWorkspace.ts"
import { type Columns, fromRow, nanosOf, usdOf } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"

const budgetOf = ({ account_id: _, interval, include_byok: __, limit_nanos, ...columns }: Columns): WorkspaceBudget =>
  fromRow<WorkspaceBudget>({
    ...columns,
    limit_usd: usdOf(limit_nanos),
    reset_interval: interval === "lifetime" ? null : interval
  })

const setOf = (rows: readonly Columns[]): BudgetSet => ({
  budgets: sortBudgets(rows.map(budgetOf)),
  include_byok: rows.some((row) => row["include_byok"] === true)
})

export const workspaceBudgets = Effect.map(SqlClient.SqlClient, (sql) => {
  const all = (account_id: string, workspace_id: string) =>
    Effect.map(
      sql`
        select * from gatewarden_workspace_budget
        where account_id = ${account_id} and workspace_id = ${workspace_id}`,
      setOf
    )
  return WorkspaceBudgets.of({
    of: (account_id, workspace_id) => reading(all(account_id, workspace_id)),
    put: (account_id, draft, now) =>
      Effect.gen(function* () {
        const { workspace_id, interval } = draft
        if (!(yield* lockWorkspace(sql, account_id, workspace_id))) return "missing"
        const before = yield* all(account_id, workspace_id)
        const changed = changedBudget(before.budgets, draft, now)
        if (changed === "out_of_order") return changed
        const { reset_interval: _, limit_usd, ...budget } = changed
        const include_byok = draft.include_byok ?? before.include_byok
        const row = { ...budget, account_id, interval, limit_nanos: nanosOf(limit_usd), include_byok }
        yield* sql`
          ${acts.insert} into gatewarden_workspace_budget ${sql.insert(row)}
          on conflict (workspace_id, interval)
          do update set limit_nanos = excluded.limit_nanos, updated_at = excluded.updated_at`
        if (include_byok !== before.include_byok)
          yield* sql`
            ${acts.update} gatewarden_workspace_budget set include_byok = ${include_byok}
            where account_id = ${account_id} and workspace_id = ${workspace_id}`
        return yield* all(account_id, workspace_id)
      }).pipe(sql.withTransaction, writing),
    remove: (account_id, workspace_id, interval) =>
      writing(
        Effect.asVoid(sql`
          ${acts.delete} from gatewarden_workspace_budget
          where account_id = ${account_id} and workspace_id = ${workspace_id} and interval = ${interval}`)
      )
  })
})
