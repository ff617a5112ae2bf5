import { usageExportTypes } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly, refused, storeGone } from "../http/Case.ts"
import { linkedPages } from "../http/linkedPages.ts"
import type { Answer, World } from "../World.ts"
import { given } from "./queryAnalytics/scene.ts"

type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string>>

const full: Fields = {
  id: 'gen 1/ä, "quoted"\nline',
  created_at: "2026-03-04T11:00:00.500Z",
  model: "acme/sonnet:free",
  provider: "Acme",
  prompt_tokens: 9_007_199_254_740_991,
  completion_tokens: 2,
  reasoning_tokens: 1,
  cached_tokens: 3,
  cache_write_tokens: 4,
  tool_calls: 4,
  cost_usd: "0.000000001",
  byok_cost_usd: "999999999.999999999",
  byok: true,
  status: "cancelled",
  api_key_hash: "f".repeat(64),
  user_id: " user ",
  external_user: "=1+1",
  app: "app",
  origin: "https://a.example",
  country: "DE",
  endpoint_tag: "acme/eu",
  session_id: "session-1",
  data_region: "europe",
  finish_reason: "stop",
  latency_ms: 12.5,
  generation_ms: 0.1,
  guardrail_invoked: true,
  guardrail_id: "ded01a3f-c4cc-577a-8dcd-824fa38f35e0",
  response_cached: true,
  category: "marketing/seo",
  language_type: "natural",
  sample_weight: 2.5,
  input_modalities: ["text", "image"],
  output_modalities: [],
  app_categories: ["cli-agent", 'a"b'],
  classifiers: { topic: { kind: "refund", z: "true", a: "1.5" } },
  trace: { trace_id: "t", b: [{ y: null, x: 1 }], a: -0.5 },
  cost_components: { byok_fees: "0.1", usage_web: "0" }
}

const eventsOf = ({ text }: Answer): readonly Fields[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Fields)

const idsOf = (answer: Answer): readonly unknown[] => eventsOf(answer).map(({ id }) => id)

/** Of the given events, the export has those with these ids. */
const exports = (
  name: string,
  events: readonly Fields[],
  query: Query | ((world: World) => Query),
  ids: readonly string[]
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    await given(world, ...events)
    return world.call("exportUsageEvents", { query: typeof query === "function" ? query(world) : query })
  },
  check: (answer) => {
    assert.deepEqual(idsOf(answer), ids)
    assert.isNull(answer.headers.get("x-next-cursor"))
  }
})

const bad = (name: string, query: Query, path: string): Case =>
  refused("exportUsageEvents", name, { query }, { path, reason: "invalid_request" })

const at = (second: number) => `2026-03-04T11:00:${String(second).padStart(2, "0")}.000Z`

export const exportUsageEvents: CasesOf = {
  operation: "exportUsageEvents",
  cases: [
    exports("nothing was recorded", [], {}, []),
    {
      name: "every field that an event has",
      status: 200,
      run: async (world) => {
        await given(world, full)
        return world.call("exportUsageEvents")
      },
      check: (answer, world) => {
        assert.strictEqual(answer.headers.get("content-type"), usageExportTypes.ndjson)
        assert.deepEqual(eventsOf(answer), [{ ...full, workspace_id: world.workspace_id }])
        // The order of members does not depend on the store.
        assert.include(answer.text, '{"topic":{"a":"1.5","kind":"refund","z":"true"}}')
        assert.include(answer.text, '{"a":-0.5,"b":[{"x":1,"y":null}],"trace_id":"t"}')
      }
    },
    {
      name: "CSV",
      status: 200,
      run: async (world) => {
        await given(world, full, { id: "little" })
        return world.call("exportUsageEvents", { query: { format: "csv" } })
      },
      check: ({ text, headers }) => {
        assert.strictEqual(headers.get("content-type"), usageExportTypes.csv)
        const [header = "", little = ""] = text.split("\r\n")
        assert.match(header, /^id,created_at,model,.*,cost_components\.usage_upstream_web_fetch$/)
        assert.match(little, /^little,2026-03-04T11:00:00\.000Z,acme\/sonnet,acme,100,20,0,0,0,0,0,0,false,ok,/)
        assert.include(text, '\r\n"gen 1/ä, ""quoted""\nline",')
        assert.include(text, ",'=1+1,")
        assert.include(text, '," user ",')
        assert.isTrue(text.endsWith("\r\n"))
      }
    },
    {
      name: "CSV with texts as they were recorded, also those that a spreadsheet runs",
      status: 200,
      run: async (world) => {
        await given(world, full)
        return world.call("exportUsageEvents", { query: { format: "csv", csv_safe: "false" } })
      },
      check: ({ text }) => assert.include(text, ",=1+1,")
    },
    {
      name: "CSV for a client that prefers it",
      status: 200,
      run: (world) =>
        world.call("exportUsageEvents", { headers: { accept: "application/x-ndjson;q=0.5, text/csv;q=0.9" } }),
      check: ({ headers }) => assert.strictEqual(headers.get("content-type"), usageExportTypes.csv)
    },
    {
      name: "what is exported can be recorded by another account, with the same sums",
      status: 200,
      run: async (world) => {
        await given(world, full, { id: "little", cost_usd: "12.000000007" })
        const { text } = await world.call("exportUsageEvents")
        const { managementKey, workspace_id } = await world.installation.newWorld()
        const recorded = await world.call("recordUsageEvents", {
          key: managementKey,
          body: text.replaceAll(world.workspace_id, workspace_id),
          headers: { "content-type": "application/x-ndjson" }
        })
        assert.deepEqual(recorded.json, { data: { accepted: 2, duplicates: 0 } })
        const again = await world.call("exportUsageEvents", { key: managementKey })
        assert.strictEqual(again.text.replaceAll(workspace_id, world.workspace_id), text)
        const sums = { metrics: ["request_count", "total_usage", "byok_usage", "tokens_total"], dimensions: ["user"] }
        const [own, theirs] = await Promise.all(
          [world.managementKey, managementKey].map((key) => world.call("queryAnalytics", { key, body: sums }))
        )
        assert.isNotEmpty(own?.json.data.data)
        assert.deepEqual(theirs?.json.data.data, own?.json.data.data)
        return again
      }
    },
    exports(
      "in the order of time, then id by code point",
      [
        { id: "c", created_at: at(1) },
        { id: "\u{1f600}", created_at: at(2) },
        { id: "\uffee", created_at: at(2) },
        { id: "a", created_at: at(2) },
        { id: "b", created_at: at(0) }
      ],
      {},
      ["b", "c", "a", "\uffee", "\u{1f600}"]
    ),
    exports(
      "start inclusive, end exclusive",
      [0, 1, 2, 3].map((second) => ({ id: `e${second}`, created_at: at(second) })),
      { start: at(1), end: at(3) },
      ["e1", "e2"]
    ),
    ...(
      [
        ["api_key_hash", "f".repeat(64)],
        ["user_id", "anna"],
        ["external_user", ""],
        ["provider", "Other"],
        ["app", "app"],
        ["endpoint_tag", "acme/fp8"],
        ["guardrail_id", "ded01a3f-c4cc-577a-8dcd-824fa38f35e0"],
        ["session_id", "s"],
        ["status", "error"],
        ["model", "acme/opus"]
      ] as const
    ).map(([field, value]) =>
      exports(`only of one ${field}`, [{ id: "other" }, { id: "own", [field]: value }], { [field]: value }, ["own"])
    ),
    exports(
      "of a model with all variants",
      ["acme/a", "acme/a:free", "acme/b"].map((model) => ({ id: model, model })),
      { model: "acme/a" },
      ["acme/a", "acme/a:free"]
    ),
    exports(
      "of a model with one variant",
      ["acme/a", "acme/a:free", "acme/a:pro"].map((model) => ({ id: model, model })),
      { model: "acme/a:free" },
      ["acme/a:free"]
    ),
    exports("of a workspace", [{ id: "own" }], (world) => ({ workspace_id: world.workspace_id.toUpperCase() }), [
      "own"
    ]),
    exports("of an unknown workspace", [{}], { workspace_id: "7d1f7a52-5c6f-4a0e-8f55-7a6f5f1c9b10" }, []),
    ...(
      [
        ["a classifier", { classifier: "topic" }, ["kind", "other", "tone"]],
        ["a dimension", { classifier: "topic", dimension: "kind" }, ["kind", "other"]],
        ["a tag", { classifier: "topic", dimension: "kind", value: "refund" }, ["kind"]],
        ["an unknown classifier", { classifier: "__proto__" }, []],
        ["an unknown dimension", { classifier: "topic", dimension: "toString" }, []]
      ] as const
    ).map(([what, query, ids]) =>
      exports(
        `of ${what}`,
        [
          { id: "kind", classifiers: { topic: { kind: "refund" } } },
          { id: "none" },
          { id: "other", classifiers: { topic: { kind: "order" } } },
          { id: "tone", classifiers: { topic: { tone: "refund" } } }
        ],
        query,
        ids
      )
    ),
    exports(
      "of a tag of traces",
      [
        { id: "none", trace: { tags: ["batch"] } },
        { id: "one", trace: { tags: "team-a" } },
        { id: "two", trace: { tags: ["batch", "team-a"] } }
      ],
      { classifier: "trace.tags", dimension: "team-a" },
      ["one", "two"]
    ),
    {
      name: "pages while events are recorded: each that was there once, in order",
      status: 200,
      run: async (world) => {
        const there = Array.from({ length: 7 }, (_, n) => ({ id: `e${n}`, created_at: at(1 + Math.floor(n / 3)) }))
        await given(world, ...there)
        const first = await world.call("exportUsageEvents", { query: { limit: "2" } })
        // One event before the cursor, one behind it.
        await given(world, { id: "d", created_at: at(0) }, { id: "e2a", created_at: at(1) })
        const rest = await linkedPages(world, "exportUsageEvents", {
          limit: "2",
          cursor: first.headers.get("x-next-cursor") ?? ""
        })
        const seen = [first, ...rest].map(idsOf)
        assert.deepEqual(seen.flat(), ["e0", "e1", "e2", "e2a", "e3", "e4", "e5", "e6"])
        assert.isTrue(seen.every((page) => page.length === 2))
        return first
      }
    },
    {
      name: "an export ends where it began, however much is recorded meanwhile",
      status: 200,
      run: async (world) => {
        await given(world, { id: "a", created_at: at(0) }, { id: "b", created_at: at(1) })
        const first = await world.call("exportUsageEvents", { query: { limit: "1" } })
        const hour = 3_600_000
        world.installation.clock.now += hour
        await given(world, { id: "late", created_at: new Date(world.installation.clock.now).toISOString() })
        const rest = await linkedPages(world, "exportUsageEvents", {
          limit: "1",
          cursor: first.headers.get("x-next-cursor") ?? ""
        })
        assert.deepEqual(rest.flatMap(idsOf), ["b"])
        assert.deepEqual(idsOf(await world.call("exportUsageEvents")), ["a", "b", "late"])
        return first
      }
    },
    {
      name: "CSV in pages, each with a header",
      status: 200,
      run: async (world) => {
        await given(world, {}, {}, {})
        const pages = await linkedPages(world, "exportUsageEvents", { limit: "1", format: "csv" })
        assert.lengthOf(pages, 3)
        assert.isTrue(pages.every(({ text }) => text.startsWith("id,created_at,")))
        return pages[0] as Answer
      }
    },
    {
      name: "many events",
      status: 200,
      run: async (world) => {
        await given(world, ...Array.from({ length: 1_203 }, () => ({})))
        return world.call("exportUsageEvents", { query: { limit: "1202" } })
      },
      check: (answer) => {
        assert.strictEqual(new Set(idsOf(answer)).size, 1_202)
        assert.isNotNull(answer.headers.get("x-next-cursor"))
      }
    },
    {
      name: "events with long traces",
      status: 200,
      run: async (world) => {
        // Not compressible: the store counts bytes as it keeps them.
        const noise = (seed: number) =>
          Array.from({ length: 30_000 }, (_, n) => ((seed * 7919 + n * 104_729) % 99_991).toString(36)).join("")
        await given(world, ...Array.from({ length: 9 }, (_, n) => ({ id: `e${n}`, trace: { noise: noise(n) } })))
        return world.call("exportUsageEvents")
      },
      check: (answer) =>
        assert.deepEqual(
          idsOf(answer),
          Array.from({ length: 9 }, (_, n) => `e${n}`)
        )
    },
    {
      name: "another account's events",
      status: 200,
      run: async (world) => {
        await given(world, {})
        const { managementKey } = await world.installation.newWorld()
        return world.call("exportUsageEvents", { key: managementKey })
      },
      check: ({ text }) => assert.strictEqual(text, "")
    },
    bad("a malformed start", { start: "yesterday" }, "query.start"),
    bad("an end before the start", { start: "2026-03-04T11:00:01Z", end: "2026-03-04T11:00:00Z" }, "query.end"),
    bad("a malformed workspace", { workspace_id: "mine" }, "query.workspace_id"),
    bad("a guardrail by name", { guardrail_id: "No images" }, "query.guardrail_id"),
    bad("an unknown status", { status: "fine" }, "query.status"),
    bad("an unknown format", { format: "parquet" }, "query.format"),
    bad("a limit of nothing", { limit: "0" }, "query.limit"),
    bad("a limit of too many", { limit: "10001" }, "query.limit"),
    bad("a dimension without its classifier", { dimension: "kind" }, "query.dimension"),
    bad("a value without its dimension", { classifier: "topic", value: "refund" }, "query.value"),
    ...["!", "AA", "W10", btoa('[1,2,"\\u0000"]').replaceAll("=", ""), btoa('[1,1e300,"a"]').replaceAll("=", "")].map(
      (cursor) => bad(`a cursor that no answer had: ${cursor}`, { cursor }, "query.cursor")
    ),
    ...managementOnly("exportUsageEvents", () => ({})),
    storeGone("UsageHistory", 500, (world) => world.call("exportUsageEvents"))
  ]
}
