import { rowLevelSecurityProblem, type RowLevelSecurityState, tablesWithoutPolicy } from "@gatewarden/postgres/internal"
import { failure, fine, type Finding, warning } from "./Finding.ts"

const check = "row-level security"

const remedy =
  "as the owner of the tables: create role gatewarden_tenant nologin; grant gatewarden_tenant to the user of DATABASE_URL; select gatewarden_row_level_security(true)"

/** Whether PostgreSQL itself keeps accounts apart, and whether the server relies on it. */
export const judgeRowLevelSecurity = (state: RowLevelSecurityState, isRelied: boolean): Finding => {
  const problem = rowLevelSecurityProblem(state)
  if (isRelied)
    return problem === undefined
      ? fine(
          check,
          `on: PostgreSQL holds statements of tenants to one account on ${state.held} tables, and not on ${tablesWithoutPolicy.join(", ")}`
        )
      : failure(check, `GATEWARDEN_ROW_LEVEL_SECURITY is on and has no effect: ${problem}`, remedy, "schema")
  return problem === undefined
    ? warning(
        check,
        "The database is prepared for it, and no server uses it: GATEWARDEN_ROW_LEVEL_SECURITY is off",
        "set GATEWARDEN_ROW_LEVEL_SECURITY=on, or: select gatewarden_row_level_security(false)"
      )
    : fine(check, "off: the predicates of statements alone keep accounts apart")
}
