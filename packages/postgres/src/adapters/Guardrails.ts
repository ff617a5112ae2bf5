import type { Guardrail } from "@gatewarden/contract"
import {
  type GuardrailChange,
  Guardrails,
  defaultGuardrailName,
  maxEntityBytes,
  oversized,
  unrestricted
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { deleteInParts } from "../statements/deleteInParts.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, instantOf, nanosOf, timestampOf, usdOf } from "../statements/rows.ts"
import { reading, retrying, unlessMissing, writing } from "../statements/statements.ts"
import { updateRow } from "../statements/updateRow.ts"
import { updateTogether } from "../statements/updateTogether.ts"

const columnsOf = ({
  limit_usd,
  content_filters,
  content_filter_builtins,
  ...fields
}: GuardrailChange): Record<string, unknown> => ({
  ...fields,
  ...(limit_usd === undefined ? {} : { limit_nanos: nanosOf(limit_usd) }),
  ...(content_filters === undefined ? {} : { content_filters: content_filters && JSON.stringify(content_filters) }),
  ...(content_filter_builtins === undefined
    ? {}
    : { content_filter_builtins: content_filter_builtins && JSON.stringify(content_filter_builtins) })
})

type GuardrailColumns = Omit<Guardrail, "limit_usd" | "created_at" | "updated_at">

/** Field by field, as for credentials: an object that is made at once costs a third of one that grows. */
export const guardrailOf = (columns: Columns): Guardrail => {
  const row = columns as unknown as GuardrailColumns
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    name: row.name,
    description: row.description,
    allowed_data_regions: row.allowed_data_regions,
    allowed_models: row.allowed_models,
    allowed_providers: row.allowed_providers,
    ignored_models: row.ignored_models,
    ignored_providers: row.ignored_providers,
    content_filter_builtins: row.content_filter_builtins,
    content_filters: row.content_filters,
    content_filter_unscannable: row.content_filter_unscannable,
    enable_free_model_publication: row.enable_free_model_publication,
    enable_free_model_training: row.enable_free_model_training,
    enable_paid_model_training: row.enable_paid_model_training,
    enforce_zdr: row.enforce_zdr,
    enforce_zdr_anthropic: row.enforce_zdr_anthropic,
    enforce_zdr_openai: row.enforce_zdr_openai,
    enforce_zdr_google: row.enforce_zdr_google,
    enforce_zdr_xai: row.enforce_zdr_xai,
    enforce_zdr_other: row.enforce_zdr_other,
    include_byok_in_budgets: row.include_byok_in_budgets,
    limit_usd: usdOf(columns["limit_nanos"]),
    reset_interval: row.reset_interval,
    created_at: timestampOf(columns["created_at"]),
    updated_at: instantOf(columns["updated_at"])
  }
}

const types: Readonly<Record<string, string>> = {
  id: "uuid",
  account_id: "uuid",
  allowed_data_regions: "text[]",
  allowed_models: "text[]",
  allowed_providers: "text[]",
  ignored_models: "text[]",
  ignored_providers: "text[]",
  content_filter_builtins: "jsonb",
  content_filters: "jsonb",
  enable_free_model_publication: "boolean",
  enable_free_model_training: "boolean",
  enable_paid_model_training: "boolean",
  enforce_zdr: "boolean",
  enforce_zdr_anthropic: "boolean",
  enforce_zdr_openai: "boolean",
  enforce_zdr_google: "boolean",
  enforce_zdr_xai: "boolean",
  enforce_zdr_other: "boolean",
  include_byok_in_budgets: "boolean",
  limit_nanos: "bigint",
  updated_at: "timestamptz"
}

/** Fields whose values may be long. The others together take less than 2,048 bytes. */
const long = [
  "description",
  "allowed_models",
  "allowed_providers",
  "ignored_models",
  "ignored_providers",
  "content_filter_builtins",
  "content_filters"
]

/** A change of so many characters takes less than 63,488 bytes of UTF-8. */
const smallCharacters = 21_000

/** Whether the row has room for any small change, without a look at what the change replaces. The row is `t`. */
const hasRoom = `octet_length(row_to_json(row(${long.map((name) => `t.${name}`).join(", ")}))::text) <= ${maxEntityBytes - 65_536}`

/** One text, not put together anew: what is read most. */
const findText = "select * from gatewarden_guardrail where id = $1 and account_id = $2"

const firstGuardrail = (rows: readonly Columns[]): Option.Option<Guardrail> =>
  rows[0] === undefined ? Option.none() : Option.some(guardrailOf(rows[0]))

export const guardrails = Effect.map(Effect.all([SqlClient.SqlClient, fixedStatements]), ([sql, { read, write }]) => {
  const insert = (account_id: string, guardrail: Guardrail, is_default: boolean) => {
    const { id, workspace_id, created_at, updated_at, ...fields } = guardrail
    return sql`${acts.insert} into gatewarden_guardrail ${sql.insert({ id, account_id, workspace_id, created_at, updated_at, is_default, ...columnsOf(fields) })}`
  }

  const updated = updateTogether({
    sql,
    write,
    table: "gatewarden_guardrail",
    types,
    guardOf:
      ({ name }) =>
      (valueOf) =>
        name === undefined ? hasRoom : `(not t.is_default or t.name = ${valueOf("name")}) and ${hasRoom}`
  })

  /** For a change that may be refused: holds the row until the transaction ends, and measures what the change makes of it. */
  const updateMeasured = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    change: GuardrailChange,
    now: string
  ) {
    const [row] = yield* sql<Columns>`
      select * from gatewarden_guardrail where id = ${id} and account_id = ${account_id} for update`
    if (row === undefined) return undefined
    const current = guardrailOf(row)
    if (row["is_default"] === true && change.name !== undefined && change.name !== current.name) return "name_kept"
    const refused = oversized(current, { ...current, ...change })
    if (refused !== undefined) return refused
    const rows = yield* updateRow(write, "gatewarden_guardrail", { id, account_id }, columnsOf(change), now)
    return rows[0] === undefined ? undefined : guardrailOf(rows[0])
  }, sql.withTransaction)

  const update = Effect.fnUntraced(function* (account_id: string, id: string, change: GuardrailChange, now: string) {
    const columns = columnsOf(change)
    if (Object.keys(columns).length === 0) {
      const [row] = yield* sql<Columns>`
        select * from gatewarden_guardrail where id = ${id} and account_id = ${account_id}`
      return row && guardrailOf(row)
    }
    // Almost every change is small, and fits whatever it replaces: one statement that many share decides that.
    const isSmall = JSON.stringify(change).length <= smallCharacters
    const row = isSmall ? yield* updated({ account_id, id, columns, now }) : undefined
    return row === undefined ? yield* updateMeasured(account_id, id, change, now) : guardrailOf(row)
  })

  /** Stores the default guardrail of a workspace, if the id is one's and nobody stored it yet. */
  const materialise = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    change: GuardrailChange,
    now: string
  ) {
    const found = yield* sql`
      select id from gatewarden_workspace where default_guardrail_id = ${id} and account_id = ${account_id}`
    const workspace_id = found[0]?.["id"]
    if (typeof workspace_id !== "string") return "missing"
    const name = defaultGuardrailName(workspace_id)
    if (change.name !== undefined && change.name !== name) return "name_kept"
    const fresh: Guardrail = { ...unrestricted, id, workspace_id, name, created_at: now, updated_at: null }
    const refused = oversized(undefined, { ...fresh, ...change })
    if (refused !== undefined) return refused
    // Of any index: whoever stores it at the same time may be met in the other one that has the id first.
    yield* sql`${insert(account_id, fresh, true)} on conflict do nothing`
    return "stored"
  })

  return Guardrails.of({
    insert: (account_id, guardrail) =>
      writing(unlessMissing(Effect.as(insert(account_id, guardrail, false), true), false)),
    find: (account_id, id) => reading(Effect.map(read(findText, [id, account_id]), firstGuardrail)),
    update: (account_id, id, change, now) =>
      Effect.gen(function* () {
        const updated = yield* update(account_id, id, change, now)
        if (updated !== undefined) return updated
        const outcome = yield* unlessMissing(materialise(account_id, id, change, now), "missing" as const)
        if (outcome !== "stored") return outcome
        return (yield* update(account_id, id, change, now)) ?? "missing"
      }).pipe(writing),
    list: (account_id, { workspace_id }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_guardrail",
            id: "id",
            long: [
              "allowed_models",
              "allowed_providers",
              "ignored_models",
              "ignored_providers",
              "content_filter_builtins",
              "content_filters"
            ],
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "guardrail", owner: workspace_id }
          },
          page,
          guardrailOf
        )
      ),
    remove: Effect.fnUntraced(function* (account_id, id) {
      const [removable] = yield* reading(sql`
        select 1 from gatewarden_guardrail where id = ${id} and account_id = ${account_id} and not is_default`)
      if (removable !== undefined)
        for (const table of ["gatewarden_guardrail_key", "gatewarden_guardrail_member"])
          yield* deleteInParts(sql, table, sql`account_id = ${account_id} and guardrail_id = ${id}`)
      // A cascade takes rows in no order that others could keep to, so whoever meets one half-way may have to begin anew.
      return yield* sql`
            ${acts.with} removed as (
              delete from gatewarden_guardrail where id = ${id} and account_id = ${account_id} and not is_default
              returning id
            )
            select exists (select from removed) as removed, exists (
              select from gatewarden_workspace where default_guardrail_id = ${id} and account_id = ${account_id}
            ) as is_default`.pipe(
        Effect.map(([row]) =>
          row?.["removed"] === true ? "removed" : row?.["is_default"] === true ? "default" : "missing"
        ),
        retrying,
        writing
      )
    })
  })
})
