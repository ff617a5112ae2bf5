/** How statements name their actors to the triggers that record changes. Rule: audit#actors. */
import { assert, describe, it } from "@effect/vitest"
import { type Acting, Acts } from "@gatewarden/core/store"
import { Effect, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { FixedStatements, fixedStatements } from "../../postgres/src/statements/FixedStatements.ts"
import { acts, type Write } from "../../postgres/src/statements/acting.ts"
import { writing } from "../../postgres/src/statements/statements.ts"
import { sqlTexts } from "../../postgres/src/embedded/sqlTexts.ts"
import { runOnSchema } from "./runOnSchema.ts"

const acting = (id: string): Acting => ({
  actor: { type: "user", id },
  operation: "updateOrganizationSettings",
  request_id: null,
  at: "2026-01-02T03:04:05.678Z"
})

const by = <A, E, R>(id: string, statement: Effect.Effect<A, E, R>) =>
  Effect.provideService(writing(statement), Acts, acting(id))

const table = "gatewarden_organization_settings"
const numbers = "n (i) as (select 1 union all select i + 1 from n where i < 2)"

describe("a write that begins with a word of acts", () => {
  const run = runOnSchema()

  /** Each changes the one row of its account. */
  const inOrder = (sql: SqlClient.SqlClient, id: string) => ({
    insert: sql`${acts.insert} into gatewarden_organization_settings values (${id}::uuid, true)`,
    update: sql`${acts.update} gatewarden_organization_settings set is_filtered_model_catalog_enabled = false where account_id = ${id}`,
    with: sql`
      ${acts.with} one as (select ${id}::uuid as id)
      update gatewarden_organization_settings set is_filtered_model_catalog_enabled = true from one where account_id = one.id`,
    withRecursive: sql`
      ${acts.withRecursive} n (i) as (select 1 union all select i + 1 from n where i < 2)
      update gatewarden_organization_settings set is_filtered_model_catalog_enabled = false from n where account_id = ${id} and i = 2`,
    delete: sql`${acts.delete} from gatewarden_organization_settings where account_id = ${id}`
  })

  const texts: readonly Write[] = [
    { word: "insert", rest: ` into ${table} values ($1::uuid, true)` },
    { word: "update", rest: ` ${table} set is_filtered_model_catalog_enabled = false where account_id = $1` },
    {
      word: "with",
      rest: ` one as (select $1::uuid as id) update ${table} set is_filtered_model_catalog_enabled = true from one where account_id = id`
    },
    {
      word: "with recursive",
      rest: ` ${numbers} update ${table} set is_filtered_model_catalog_enabled = false from n where account_id = $1 and i = 2`
    },
    { word: "delete", rest: ` from ${table} where account_id = $1` }
  ]

  const recorded = (sql: SqlClient.SqlClient, id: string) =>
    Effect.map(
      sql<{
        readonly acting: string | null
      }>`select acting from gatewarden_changes where account_id = ${id} order by xact, seq`,
      (rows) => rows.map((row) => (row.acting ? (JSON.parse(row.acting) as Acting).actor.id : null))
    )

  it("names its actor, whatever it begins with", () =>
    run((sql) =>
      Effect.gen(function* () {
        const id = crypto.randomUUID()
        for (const [word, statement] of Object.entries(inOrder(sql, id))) yield* by(word, statement)
        assert.deepStrictEqual(yield* recorded(sql, id), ["insert", "update", "with", "withRecursive", "delete"])
      })
    ))

  it("names nobody if nobody acts", () =>
    run((sql) =>
      Effect.gen(function* () {
        const id = crypto.randomUUID()
        for (const statement of Object.values(inOrder(sql, id))) yield* writing(statement)
        assert.deepStrictEqual(yield* recorded(sql, id), [null, null, null, null, null])
      })
    ))

  it("names its actor as text, too", () =>
    run((sql) =>
      Effect.gen(function* () {
        const id = crypto.randomUUID()
        const { write } = yield* fixedStatements
        for (const one of texts) yield* by(one.word, write(one, [id]))
        assert.deepStrictEqual(
          yield* recorded(sql, id),
          texts.map(({ word }) => word)
        )
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    ))

  it("is sent as the same text whether or not it is traced, and its span has that text", () =>
    run((sql) =>
      Effect.gen(function* () {
        const sent: (readonly [string, readonly unknown[]])[] = []
        const send = (text: string, parameters: readonly unknown[]) =>
          Effect.sync(() => {
            sent.push([text, parameters])
            return []
          })
        const spans: Tracer.Span[] = []
        const tracer = Tracer.make({
          span: (options) => {
            const span = new Tracer.NativeSpan(options)
            spans.push(span)
            return span
          }
        })
        const { read, write } = yield* Effect.provideService(fixedStatements, FixedStatements, {
          ...{ read: send, write: send },
          spanAttributes: [["db.namespace", "here"]]
        })
        const all = Effect.gen(function* () {
          for (const one of texts) yield* by("ann", write(one, ["id"]))
          yield* read("select $1::text", ["id"])
        })
        yield* all
        const untraced = sent.splice(0)
        yield* Effect.withTracer(all, tracer)
        assert.deepStrictEqual(sent, untraced)
        assert.lengthOf(sent, texts.length + 1)
        const ofStatements = spans.filter(({ name }) => name === "here")
        assert.deepStrictEqual(
          ofStatements.map(({ attributes }) => [attributes.get("db.query.text"), attributes.get("db.operation.name")]),
          sent.map(([text], index) => [text, ["insert", "update", "with", "with", "delete"][index]])
        )
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    ))
})

/** They choose between the table of usage events and the one where an import waits. */
const ofOtherTables = "adapters/UsageLog.ts"

it("begins every statement that writes recorded rows with a word of acts", () => {
  const schema = Object.values(sqlTexts).join("\n")
  const tables = [...schema.matchAll(/create trigger \w+_recorded [^;]* on gatewarden_(\w+)/g)].map(([, name]) => name)
  assert.isAbove(tables.length, 20)
  const writes = new RegExp(`(insert into|update|delete from) (gatewarden_(${tables.join("|")})\\b|\\$)`)
  const source = new URL("../../postgres/src/", import.meta.url)
  const found = ["adapters", "statements"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, source)).flatMap((file) => {
      const text = readFileSync(new URL(`${folder}/${file}`, source), "utf8")
      const statements = text.matchAll(/sql(?:<[^`]*?>)?`\s*((?:with|insert|update|delete)\b(?:[^`]|`(?=[^`]*`\}))*)`/g)
      return [...statements]
        .filter(([, one = ""]) => writes.test(one) && `${folder}/${file}` !== ofOtherTables)
        .map(([, one = ""]) => `${folder}/${file}: ${one.slice(0, 80)}`)
    })
  )
  assert.deepStrictEqual(found, [])
})
