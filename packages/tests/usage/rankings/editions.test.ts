/** A ranking that was answered is answered again only while nothing has changed that it counts. Rule: rankings#caching. */
import { layerInstance, ModelCatalog, RankingsReader, Retention, UsageLog } from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { assert, describe, it } from "@effect/vitest"
import { catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { Effect, Layer, Redacted, Stream } from "effect"
import { inject } from "vitest"
import { makeKeptEditions } from "../../../core/src/model/CatalogAnswers.ts"
import { getRankingsDaily } from "../../../core/src/usage/rankings/rankings.ts"
import { PrintedAnswer } from "../../../core/src/value/PrintedAnswer.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const listed_at = new Date(now).toISOString()
const days = { first: "2026-03-01", last: "2026-03-03" }
const query = { start_date: days.first, end_date: days.last }

describe("editions of rankings", () => {
  const database = { url: "" }
  const run = storeUnderTest(
    () =>
      Layer.unwrap(
        Effect.promise(async () => {
          database.url = await createMigratedDatabase(inject("postgres"))
          const store = layerPostgresStore({ url: Redacted.make(database.url), notifications: false })
          return layerInstance(store, testKeyring)
        })
      ),
    now
  )
  const edition = () => run(Effect.flatMap(RankingsReader, (port) => port.edition(days)))
  const record = (day: string, id: string) =>
    run(
      Effect.flatMap(UsageLog, (log) =>
        log.record(
          crypto.randomUUID(),
          Stream.make([
            spendingEvent({
              ...{ id, created_at: `${day}T10:00:00.000Z`, workspace_id: crypto.randomUUID() },
              ...{ api_key_hash: "a".repeat(64), user_id: null }
            })
          ])
        )
      )
    )
  const list = (isPublic: boolean) =>
    run(
      Effect.flatMap(ModelCatalog, (port) =>
        port.upsert([catalogModel("acme/sonnet", { public: isPublic })], listed_at)
      )
    )
  const fold = () =>
    run(
      Effect.flatMap(Retention, (port) =>
        Effect.repeat(port.foldRankings(4, 400 * 86_400), { while: (folded) => folded > 0 })
      )
    )
  const ask = () => run(getRankingsDaily(query))
  const shown = ({ bytes }: PrintedAnswer<unknown>) =>
    (
      JSON.parse(new TextDecoder().decode(bytes)) as { readonly data: readonly { readonly total_tokens: string }[] }
    ).data.map(({ total_tokens }) => total_tokens)

  it("change with late events and the catalog, and with nothing else", async () => {
    await list(true)
    for (const day of ["2026-03-01", "2026-03-02", "2026-03-03"]) await record(day, `first-${day}`)
    assert.isUndefined(await edition(), "days that are not summed")
    assert.deepEqual(shown(await ask()), ["2", "2", "2"])
    await fold()
    const first = await edition()
    assert.isDefined(first)
    const answer = await ask()
    assert.strictEqual(await ask(), answer)

    // Of today, and of a day before: nothing that this ranking counts.
    await record("2026-03-04", "today")
    await record("2026-02-20", "before")
    assert.strictEqual(await edition(), first)
    assert.strictEqual(await ask(), answer)

    await record("2026-03-02", "late")
    assert.isUndefined(await edition())
    assert.deepEqual(shown(await ask()), ["2", "4", "2"])
    await fold()
    const second = await edition()
    assert.notStrictEqual(second, first)
    assert.deepEqual(shown(await ask()), ["2", "4", "2"])

    // Within the same millisecond.
    await list(false)
    assert.notStrictEqual(await edition(), second)
    assert.deepEqual(shown(await ask()), [])
    await list(true)
    assert.strictEqual(await edition(), second)
    assert.deepEqual(shown(await ask()), ["2", "4", "2"])
  })

  it("are seen by requests that came after the change, however many came at once", async () => {
    const asked = Array.from({ length: 20 }, () => edition())
    await execute(database.url, "update gatewarden_model set public = not public")
    const changed = await edition()
    const before = await Promise.all(asked)
    assert.isAtMost(new Set(before).size, 2)
    assert.notStrictEqual(changed, before[0])
    await execute(database.url, "update gatewarden_model set public = not public")
  })
})

describe("kept editions", () => {
  const answer = (length: number) => new PrintedAnswer<unknown>(new Uint8Array(length), `"${length}"`)

  it("lose those that nobody asked for longest, and none that is larger than half of all is kept", () => {
    const kept = makeKeptEditions(10_000)
    kept.keep("a", "1", answer(1_000))
    kept.keep("b", "1", answer(1_000))
    kept.keep("c", "1", answer(1_000))
    assert.isDefined(kept.get("a", "1"))
    kept.keep("d", "1", answer(3_500))
    assert.isUndefined(kept.get("b", "1"))
    for (const asked of ["a", "c", "d"]) assert.isDefined(kept.get(asked, "1"), asked)
    kept.keep("e", "1", answer(6_000))
    assert.isUndefined(kept.get("e", "1"))
    assert.isDefined(kept.get("d", "1"))
  })

  it("have one edition of each question", () => {
    const kept = makeKeptEditions(10_000)
    kept.keep("a", "1", answer(1))
    kept.keep("a", "2", answer(2))
    assert.isUndefined(kept.get("a", "1"))
    assert.strictEqual(kept.get("a", "2")?.etag, '"2"')
  })
})
