/**
 * Appends a row of a table to the stream of changes, before and after, with whoever acts: a function for each table.
 *
 * A writer waits for it, so it is one `insert` of rows that PostgreSQL prints as JSON by itself. PostgreSQL prepares each expression of a
 * trigger anew in each transaction: comparing column by column, or calling one function for all tables, costs several times as much. The
 * setting is read once: it is as long as the requests that share the statement are many. What is read of a row, and sealed, comes later.
 */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { actingSql } from "./acting.ts"
import { recordedTables } from "./recordedTables.ts"

type Table = (typeof recordedTables)[number]
type Row = "old" | "new"

const json = ({ more }: Table, row: Row): string => {
  if (more === undefined) return `row_to_json(${row})`
  const columns = Object.entries(more).map(
    ([name, expression]) => `${expression.replaceAll("row.", `${row}.`)} as ${name}`
  )
  return `(select row_to_json(whole) from (select ${row}.*, ${columns.join(", ")}) whole)`
}

const insert = (table: Table, action: string, row: Row, was: string, becomes: string): string => {
  const { noun, id, account = "account_id", workspace } = table
  return `insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      ${row}.${account}, '${noun}', '${action}', ${row}.${id}, ${workspace === undefined ? "null" : `${row}.${workspace}`},
      ${actingSql("acts", `${row}.${id}`)}, ${was}, ${becomes}
    );`
}

const hide = ({ hidden = [] }: Table, row: Row): string => hidden.map((name) => `${row}.${name} := null;`).join(" ")

const recordTable = (table: Table): SqlFunction => {
  const name = `gatewarden_record_${table.table}`
  const [made, changed, removed] =
    table.isAssignment === true ? ["assign", "assign", "unassign"] : ["create", "update", "delete"]
  return {
    name,
    sql: `
create or replace function ${name}() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if tg_op = 'UPDATE' then
    ${hide(table, "old")} ${hide(table, "new")}
    ${insert(table, changed, "new", json(table, "old"), json(table, "new"))}
  elsif tg_op = 'INSERT' then
    ${hide(table, "new")}
    ${insert(table, made, "new", "null", json(table, "new"))}
  else
    ${hide(table, "old")}
    ${insert(table, removed, "old", json(table, "old"), "null")}
  end if;
  return null;
end
$body$
`
  }
}

const file: Table = { table: "file", noun: "file", id: "id", workspace: "workspace_id" }

/** A file exists once its content is stored, and is gone as soon as nobody can read it. */
const recordFile: SqlFunction = {
  name: "gatewarden_record_file",
  sql: `
create or replace function gatewarden_record_file() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if old.state <> 'stored' then
    ${insert(file, "create", "new", "null", "row_to_json(new)")}
  else
    ${insert(file, "delete", "old", "row_to_json(old)", "null")}
  end if;
  return null;
end
$body$
`
}

export const recordRows: readonly SqlFunction[] = [...recordedTables.map(recordTable), recordFile]
