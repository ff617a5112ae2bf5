/** What the statements say of a server alone and of a cluster, and that they may be repeated on the engine. */
import { migrateClickhouse, openClickhouse, schemaStatements, usageColumns } from "@gatewarden/clickhouse/internal"
import { dimensions } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { clickhouseDatabase } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { Effect, Redacted } from "effect"

const texts = schemaStatements({ cluster: "main `1`" })
const find = (start: string) => texts.find((text) => text.startsWith(start)) ?? assert.fail(start)

describe("the schema of ClickHouse", () => {
  it("replaces events that come again by their latest version, of one server without a cluster", () => {
    const all = schemaStatements()
    assert.match(
      all[0] ?? "",
      /ENGINE = ReplacingMergeTree\(version\)\nPARTITION BY .*\nORDER BY \(account_id, created_at, id\)$/
    )
    for (const text of all) assert.notMatch(text, /ON CLUSTER|Replicated|Distributed/)
  })

  it("replicates rows on the hosts of a cluster and spreads them by account", () => {
    const on = "ON CLUSTER `main \\`1\\``"
    const local = find(`CREATE TABLE IF NOT EXISTS gatewarden_usage_event_local ${on} (`)
    assert.include(
      local,
      "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)"
    )
    assert.strictEqual(
      find(`CREATE TABLE IF NOT EXISTS gatewarden_usage_event ${on} AS`),
      `CREATE TABLE IF NOT EXISTS gatewarden_usage_event ${on} AS gatewarden_usage_event_local
ENGINE = Distributed(\`main \\\`1\\\`\`, currentDatabase(), gatewarden_usage_event_local, sipHash64(account_id))`
    )
    // A view of a shard reads what the shard receives.
    assert.include(find("CREATE MATERIALIZED VIEW"), "FROM gatewarden_usage_event_local")
    for (const text of texts) assert.include(text, on)
  })

  it("has a column for each field that analytics name, and adds those that a later version brings", () => {
    const names = usageColumns.map(({ name }) => name)
    assert.includeMembers(names, Object.values(dimensions))
    const added = schemaStatements().find((text) => text.startsWith("ALTER TABLE gatewarden_usage_event ADD")) ?? ""
    for (const name of names) assert.include(added, `ADD COLUMN IF NOT EXISTS ${name} `)
  })

  it.live("may be created again", () =>
    Effect.gen(function* () {
      const clickhouse = yield* openClickhouse({ url: Redacted.make(yield* clickhouseDatabase) })
      yield* migrateClickhouse(clickhouse, {})
      yield* migrateClickhouse(clickhouse, {})
      const [row] = yield* clickhouse.rows("SELECT count() FROM gatewarden_usage_event FINAL")
      assert.deepEqual(row, ["0"])
    }).pipe(Effect.scoped)
  )
})
