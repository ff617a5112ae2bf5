/**
 * Every scan of usage and of spending is of one account, or of rows that were found in one, so that a distributed PostgreSQL can keep
 * accounts apart. Read from the plans of all statements that the suite of the API runs, those within functions included, as PostgreSQL's
 * `auto_explain` logs them.
 *
 * Docs: docs/scaling.md.
 */
import { fetchDoor, httpSuite, oneOfEachStatus } from "@gatewarden/conformance"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute, type PostgresServer, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Plans?: readonly Plan[]
  readonly [detail: string]: unknown
}

interface Explained {
  readonly "Query Text": string
  readonly Plan: Plan
}

/** What grows with requests. */
const ofUsage = /^gatewarden_(usage|spent|hold|budget|generation|measured)/

/** Statements that are not of one account. Each is met, or it goes from here. */
const spanning: readonly { readonly says: RegExp; readonly because: string }[] = [
  {
    says: /gatewarden_(ranking_day|dataset_span)|unnest\(\$1::date\[\]\) as days|counts from \( select day/,
    because: "public statistics count all accounts"
  },
  { says: /with place as \( select name, is_tag/, because: "an endpoint is measured by all accounts" },
  { says: / as sealed from \(/, because: "a rotation of keys seals the secrets of all accounts again" },
  {
    says: /update gatewarden_budget_window w set held_nanos = n\.held/,
    because: "by ids of windows that were found in the account"
  },
  { says: /array_agg\(l\.id\), '\{\}'\) as ids/, because: "by ids of windows that were found in the account" },
  {
    says: /as charged_nanos, sum|with latest as materialized/,
    because: "by ids of rows that were found in the account"
  },
  { says: /^with (budget|entered|found) as materialized/, because: "by ids of windows that were found in the account" },
  { says: /^array\( select h\.admission_id from gatewarden_hold/, because: "an id of a hold is of one account" },
  { says: /^select counted\.total_count, held\.\*/, because: "by ids of rows of a page that was found in the account" }
]

let server: PostgresServer | undefined
let url = ""

const store = Layer.unwrap(
  Effect.promise(async () => {
    server = await startPostgresServer({ embedded: true })
    url = await createMigratedDatabase(server)
    const name = new URL(url).pathname.slice(1)
    const settings = {
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "0",
      "auto_explain.log_format": "json",
      "auto_explain.log_nested_statements": "on"
    }
    await execute(
      url,
      ...Object.entries(settings).map(([setting, value]) => `alter database ${name} set ${setting} = '${value}'`)
    )
    return layerPostgresStore({ url: Redacted.make(url) })
  })
)

/** The plans of a log, each behind a line that ends with `plan:` and indented by a tab. */
async function* plansOf(log: string): AsyncGenerator<Explained> {
  let lines: string[] | undefined
  for await (const line of createInterface({ input: createReadStream(log) })) {
    if (line.endsWith("plan:")) lines = []
    else if (lines !== undefined && line.startsWith("\t")) {
      lines.push(line.slice(1))
      if (line === "\t}") {
        yield JSON.parse(lines.join("\n")) as Explained
        lines = undefined
      }
    }
  }
}

const conditions = ["Index Cond", "Recheck Cond", "Filter", "Hash Cond", "Join Filter", "Merge Cond"] as const

/** Scans of tables without a condition on the account, in the node or in a join above it. */
const unscoped = (plan: Plan, tables: ReadonlySet<string>, above: string): readonly string[] => {
  const said = `${above} ${conditions.map((name) => (name in plan ? JSON.stringify(plan[name]) : "")).join(" ")}`
  const table = (plan["Relation Name"] ?? "").replace(/_([0-9]{6,8}|early)$/, "")
  // The plan of what is inserted, updated or deleted finds the rows below it.
  const own = plan["Node Type"] !== "ModifyTable" && tables.has(table) && !said.includes("account_id") ? [table] : []
  const passed = plan["Node Type"].includes("Join") || plan["Node Type"] === "Nested Loop" ? said : ""
  return [...own, ...(plan.Plans ?? []).flatMap((one) => unscoped(one, tables, passed))]
}

httpSuite("fetch handler on PostgreSQL that explains", () => ({ store, door: fetchDoor }), oneOfEachStatus)

describe("statements on usage and spending", () => {
  it("name the account, but for those that span accounts on purpose", { timeout: 300_000 }, async () => {
    const rows = await execute(
      url,
      `select relname from pg_class c where relkind in ('r', 'p') and not relispartition
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id')`
    )
    const tables = new Set(rows.map(({ relname }) => String(relname)).filter((table) => ofUsage.test(table)))
    assert.isAbove(tables.size, 12)
    let read = 0
    const found = new Set<string>()
    const met = new Set<RegExp>()
    for await (const explained of plansOf(server?.log ?? "")) {
      read++
      const text = explained["Query Text"].replaceAll(/\s+/g, " ").trim()
      for (const table of unscoped(explained.Plan, tables, "")) {
        const allowed = spanning.find(({ says }) => says.test(text))
        if (allowed === undefined) found.add(`${table}: ${text.slice(0, 300)}`)
        else met.add(allowed.says)
      }
    }
    assert.isAbove(read, 5_000)
    assert.deepEqual([...found], [])
    assert.sameMembers(
      spanning.map(({ says }) => says),
      [...met]
    )
  })
})

afterAll(() => server?.stop())
