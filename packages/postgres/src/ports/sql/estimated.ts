/**
 * Keeps the planner from looking at an array of a few elements: it then takes it for ten, as in a plan for any array, and stays with that one
 * plan. Otherwise it makes another one for each array, which for the statement that records one event takes four times as long as running it.
 */
import type { SqlClient, Statement } from "effect/sql"

/** What the planner takes an array for that it has not seen. */
const assumed = 10

export const estimated = (sql: SqlClient.SqlClient, elements: number, array: Statement.Fragment): Statement.Fragment =>
  elements > assumed ? array : sql`(select ${array})`
