import type { ByokCredential } from "@gatewarden/contract"
import {
  type ByokChange,
  ByokCredentials,
  type SealedCredential,
  type SealedKey,
  maxCredentialBytes,
  oversized
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { type Acted, actedBy, acts, withActor, type Write } from "../statements/acting.ts"
import { batched } from "../statements/coalesce.ts"
import { byteaLiteral } from "../statements/literals.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow, timestampOf } from "../statements/rows.ts"
import { reading, retrying, unlessMissing, writing } from "../statements/statements.ts"

/** A value, or the column that has it. */
type Column = string | Statement.Fragment

/** Field by field, so that the ciphertext stays here. */
const credentialOf = (columns: Columns): ByokCredential => {
  const row = columns as unknown as Omit<ByokCredential, "created_at">
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    provider: row.provider,
    name: row.name,
    label: row.label,
    disabled: row.disabled,
    is_fallback: row.is_fallback,
    is_required: row.is_required,
    is_byok_only: row.is_byok_only,
    declared_region: row.declared_region,
    declared_zdr: row.declared_zdr,
    sort_order: row.sort_order,
    allowed_api_key_hashes: row.allowed_api_key_hashes,
    allowed_models: row.allowed_models,
    allowed_user_ids: row.allowed_user_ids,
    created_at: timestampOf(columns["created_at"])
  }
}

/**
 * With the place that is next in the group, if the workspace is one of the account's: nobody holds the groups of others. Put
 * together by hand, which costs a tenth of what fragments do; columns are named by this file's types, never by who sends a request.
 */
const insertText = (names: readonly string[]): Write => {
  const valueOf = (name: string) => `$${names.indexOf(name) + 1}`
  const rest = ` into gatewarden_byok_credential (${names.map((name) => `"${name}"`).join(", ")}, sort_order)
    select ${names.map(valueOf).join(", ")},
      gatewarden_next_byok_place(${valueOf("workspace_id")}, ${valueOf("provider")}, ${valueOf("is_fallback")})
    from gatewarden_workspace where id = ${valueOf("workspace_id")} and account_id = ${valueOf("account_id")}
    returning *`
  return { word: "insert", rest }
}

type NewCredential = Omit<ByokCredential, "sort_order"> & {
  readonly account_id: string
  readonly sealed_key: Uint8Array
}

/**
 * The same for several of one workspace, in the order of their `sort_order`, which is their place among them. Groups are held in one
 * order, whatever order they are asked for in.
 */
const insertManyText = (names: readonly string[]): Write => ({
  word: "with",
  rest: ` asked as materialized (
      select asked.* from json_populate_recordset(null::gatewarden_byok_credential, $1::json) asked
      join gatewarden_workspace w on w.id = asked.workspace_id and w.account_id = asked.account_id
    ), place as materialized (
      select g.*, gatewarden_next_byok_place(workspace_id, provider, is_fallback) as next
      from (select distinct workspace_id, provider, is_fallback from asked order by provider, is_fallback) g
    )
    insert into gatewarden_byok_credential (${names.map((name) => `"${name}"`).join(", ")}, sort_order)
    select ${names.map((name) => `asked."${name}"`).join(", ")},
      place.next - 1 + row_number() over (partition by asked.provider, asked.is_fallback order by asked.sort_order)
    from asked join place using (provider, is_fallback)
    returning *`
})

export const byokCredentials = Effect.map(Effect.all([SqlClient.SqlClient, fixedStatements]), ([sql, { write }]) => {
  const own = (account_id: string, id: string) => sql`id = ${id} and account_id = ${account_id}`

  /** The next place in a group, held until the transaction or the one statement ends. */
  const nextPlace = (workspace_id: Column, provider: Column, is_fallback: boolean) =>
    sql`gatewarden_next_byok_place(${workspace_id}, ${provider}, ${is_fallback})`

  const insertOne = (credential: NewCredential) => {
    const columns = Object.entries(credential)
    return write(
      insertText(columns.map(([name]) => name)),
      columns.map(([, value]) => value)
    )
  }

  const insertMany = (credentials: readonly NewCredential[]) => {
    const rows = credentials.map((credential, sort_order) => ({
      ...credential,
      sealed_key: byteaLiteral(credential.sealed_key),
      sort_order
    }))
    return write(insertManyText(Object.keys(credentials[0] ?? {})), [JSON.stringify(rows)])
  }

  /** In their order: none where the workspace is not there (any more). */
  const insert = (acted: readonly Acted<NewCredential>[]) => {
    const credentials = acted.map(({ acting: _, ...credential }) => credential)
    const [first] = credentials
    return Effect.map(
      actedBy(acted, first === undefined || credentials.length > 1 ? insertMany(credentials) : insertOne(first)),
      (rows) => {
        const byId = new Map(rows.map((row) => [row["id"], row]))
        return credentials.map(({ id }) => Option.map(Option.fromUndefinedOr(byId.get(id)), credentialOf))
      }
    )
  }

  /** Those of a group wait for each other anyway, and those of a workspace come together, when its keys are moved in. */
  const insertTogether = batched(insert)

  /** Holds the row until the transaction ends, so that what is measured is what the change is applied to. */
  const measured = Effect.fnUntraced(function* (account_id: string, id: string, change: ByokChange) {
    const [row] = yield* sql`select * from gatewarden_byok_credential where ${own(account_id, id)} for update`
    if (row === undefined) return undefined
    const current = credentialOf(row)
    const changed = { ...current, ...change }
    // That is another refusal, which `update` answers.
    return changed.is_fallback && changed.is_byok_only ? undefined : oversized(current, changed, maxCredentialBytes)
  })

  /** One statement: whether the change may be, and whether it moves the credential, is decided on the row that is written. */
  const update = Effect.fnUntraced(function* (account_id: string, id: string, change: ByokChange & Partial<SealedKey>) {
    const { is_fallback, is_byok_only } = change
    const columns = Object.entries(change)
    if (columns.length > 0) {
      const rows = yield* sql`
        ${acts.update} gatewarden_byok_credential as changed set ${sql.csv([
          ...columns.map(([name, value]) => sql`${sql(name)} = ${value}`),
          ...(is_fallback === undefined
            ? []
            : [
                sql`sort_order = case when is_fallback = ${is_fallback} then sort_order
                  else ${nextPlace(sql`workspace_id`, sql`provider`, is_fallback)} end`
              ])
        ])}
        where ${own(account_id, id)}
          and not (${is_fallback ?? sql`is_fallback`} and ${is_byok_only ?? sql`is_byok_only`})
        returning *`
      if (rows[0] !== undefined) return credentialOf(rows[0])
    }
    const rows = yield* sql`select * from gatewarden_byok_credential where ${own(account_id, id)}`
    if (rows[0] === undefined) return "missing"
    return columns.length === 0 ? credentialOf(rows[0]) : "only_and_fallback"
  })

  /**
   * Holds the group that a credential may move to, before its row: whoever held the row first could wait for the group that
   * another holds who waits for the row. Workspace and provider never change, so they can be read before.
   */
  const holdGroup = (account_id: string, id: string, is_fallback: boolean) => sql`
    select ${nextPlace(sql`workspace_id`, sql`provider`, is_fallback)} from gatewarden_byok_credential where ${own(account_id, id)}`

  return ByokCredentials.of({
    insert: (account_id, credential, sealed_key) => {
      const added: NewCredential = { ...credential, account_id, sealed_key }
      const inserted = withActor(added, (acted) => insertTogether(`${account_id} ${added.workspace_id}`, acted))
      return writing(unlessMissing(inserted, Option.none()))
    },
    find: (account_id, id) =>
      reading(
        Effect.map(sql`select * from gatewarden_byok_credential where ${own(account_id, id)}`, (rows) =>
          Option.map(Option.fromUndefinedOr(rows[0]), credentialOf)
        )
      ),
    update: (account_id, id, change) =>
      writing(
        Effect.gen(function* () {
          if (change.is_fallback !== undefined) yield* holdGroup(account_id, id, change.is_fallback)
          return (yield* measured(account_id, id, change)) ?? (yield* update(account_id, id, change))
        }).pipe(sql.withTransaction)
      ),
    remove: (account_id, id) =>
      sql`${acts.delete} from gatewarden_byok_credential where ${own(account_id, id)} returning *`.pipe(
        retrying,
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), credentialOf)),
        writing
      ),
    list: (account_id, { workspace_id, provider }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_byok_credential",
            id: "id",
            long: ["allowed_api_key_hashes", "allowed_models", "allowed_user_ids"],
            where: sql.and([
              sql`account_id = ${account_id}`,
              sql`workspace_id = ${workspace_id}`,
              ...(provider === undefined ? [] : [sql`provider = ${provider}`])
            ]),
            kept: {
              account_id,
              kind: provider === undefined ? "credential" : `credential ${provider}`,
              owner: workspace_id
            }
          },
          page,
          credentialOf
        )
      ),
    sealed: (account_id, workspace_id, provider, id) =>
      reading(
        Effect.map(
          sql`
            select * from gatewarden_byok_credential
            where account_id = ${account_id} and workspace_id = ${workspace_id} and provider = ${provider}
              ${id === undefined ? sql`` : sql`and id = ${id}`}`,
          (rows) => rows.map(({ account_id: _, ...columns }) => fromRow<SealedCredential>(columns))
        )
      )
  })
})
