import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "./Case.ts"
import { withoutDefault } from "./withoutDefault.ts"

const event = {
  id: "event-1",
  created_at: "2026-03-04T11:00:00Z",
  model: "acme/sonnet",
  provider: "acme",
  prompt_tokens: 100,
  completion_tokens: 20,
  cost_usd: "0.000000001"
}

const record = (world: World, ...events: readonly object[]) =>
  world.call("recordUsageEvents", { body: { events: events.map((fields) => ({ ...event, ...fields })) } })

const lines = (world: World, text: string, headers: Record<string, string> = {}) =>
  world.call("recordUsageEvents", { body: text, headers: { "content-type": "application/x-ndjson", ...headers } })

const line = (fields: object = {}) => `${JSON.stringify({ ...event, ...fields })}\n`

const counted =
  (accepted: number, duplicates: number): NonNullable<Case["check"]> =>
  ({ json }) =>
    assert.deepEqual(json, { data: { accepted, duplicates } })

/** What analytics shows of the recorded events, by the given dimensions. */
const shown = async (world: World, metrics: readonly string[], dimensions: readonly string[] = []) =>
  (await world.call("queryAnalytics", { body: { metrics, dimensions } })).json.data.data

const good = (name: string, fields: Record<string, unknown>): Case => ({
  name,
  status: 200,
  run: (world) => record(world, fields),
  check: counted(1, 0)
})

const bad = (name: string, fields: Record<string, unknown>, field: string, reason = "invalid_request"): Case =>
  refused(
    "recordUsageEvents",
    name,
    { body: { events: [event, { ...event, id: "event-2", ...fields }] } },
    { path: `events.1.${field}`, reason }
  )

/** Refused, and nothing of the request was recorded. */
const leavesNothing: NonNullable<Case["check"]> = async (_, world) =>
  assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 0 }])

const shows =
  (dimensions: readonly string[], expected: readonly object[]): NonNullable<Case["check"]> =>
  async (_, world) =>
    assert.deepEqual(await shown(world, ["request_count"], dimensions), expected)

const ahead = (world: World, millis: number) => new Date(world.installation.clock.now + millis).toISOString()

const all = (world: World, count: number) =>
  record(world, ...Array.from({ length: count }, (_, index) => ({ id: `e${index}` })))

const repeated =
  (first: (world: World) => Promise<Answer>, second: (world: World) => Promise<Answer>): Case["run"] =>
  async (world) => {
    assert.strictEqual((await first(world)).status, 200)
    return second(world)
  }

const idempotent = { "idempotency-key": "import-1" }

export const recordUsageEvents: CasesOf = {
  operation: "recordUsageEvents",
  cases: [
    { name: "one event", status: 200, run: (world) => record(world, {}), check: counted(1, 0) },
    { name: "none", status: 200, run: (world) => record(world), check: counted(0, 0) },
    {
      name: "the first of an id wins within a request",
      status: 200,
      run: (world) => record(world, { prompt_tokens: 7 }, { prompt_tokens: 9 }),
      check: async (answer, world) => {
        await counted(1, 1)(answer, world)
        assert.deepEqual(await shown(world, ["tokens_prompt"]), [{ tokens_prompt: 7 }])
      }
    },
    {
      name: "a repetition is a duplicate whatever it says",
      status: 200,
      run: repeated(
        (world) => record(world, { prompt_tokens: 7 }),
        (world) => record(world, { prompt_tokens: 9, model: "other/model" }, { id: "event-2", prompt_tokens: 1 })
      ),
      check: async (answer, world) => {
        await counted(1, 1)(answer, world)
        assert.deepEqual(await shown(world, ["tokens_prompt"]), [{ tokens_prompt: 8 }])
      }
    },
    {
      name: "ids are an account's own",
      status: 200,
      run: async (world) => {
        await record(await world.other(), {})
        return record(world, {})
      },
      check: counted(1, 0)
    },
    {
      name: "10,000 events",
      status: 200,
      run: (world) => all(world, 10_000),
      check: async (answer, world) => {
        await counted(10_000, 0)(answer, world)
        assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 10_000 }])
      }
    },
    { name: "10,001 events", status: 400, run: (world) => all(world, 10_001), check: leavesNothing },
    {
      name: "all or nothing",
      status: 400,
      run: (world) => record(world, {}, { id: "event-2", prompt_tokens: -1 }),
      check: leavesNothing
    },
    {
      name: "without a workspace: the default one",
      status: 200,
      run: (world) => record(world, { api_key_hash: "f".repeat(64) }),
      check: (answer, world) =>
        shows(["workspace"], [{ workspace: world.workspace_id, request_count: 1 }])(answer, world)
    },
    {
      name: "without a workspace: the key's",
      status: 200,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const { id } = workspace.json.data
        const key = await world.call("createKey", { body: { name: "there", workspace_id: id } })
        return record(
          world,
          { api_key_hash: key.json.data.hash },
          { id: "event-2", api_key_hash: key.json.data.hash, workspace_id: world.workspace_id }
        )
      },
      check: async (_, world) => {
        const second = await world.call("getWorkspace", { params: { id: "second" }, key: world.managementKey })
        const rows = await shown(world, ["request_count"], ["workspace"])
        assert.sameDeepMembers(rows, [
          { workspace: world.workspace_id, request_count: 1 },
          { workspace: second.json.data.id, request_count: 1 }
        ])
      }
    },
    {
      name: "a key of another account is kept as recorded",
      status: 200,
      run: async (world) => record(world, { api_key_hash: (await world.other()).normalKeyHash }),
      check: async (_, world) =>
        assert.deepInclude((await shown(world, ["request_count"], ["workspace", "api_key_id"]))[0], {
          workspace: world.workspace_id
        })
    },
    {
      name: "the named workspace, in capitals",
      status: 200,
      run: (world) => record(world, { workspace_id: world.workspace_id.toUpperCase() }),
      check: (answer, world) =>
        shows(["workspace"], [{ workspace: world.workspace_id, request_count: 1 }])(answer, world)
    },
    bad(
      "an unknown workspace",
      { workspace_id: "00000000-0000-4000-8000-000000000000" },
      "workspace_id",
      "unknown_workspace"
    ),
    bad("a workspace that is no uuid", { workspace_id: "default" }, "workspace_id"),
    {
      name: "a workspace of another account",
      status: 400,
      run: async (world) => record(world, { workspace_id: (await world.other()).workspace_id }),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "no workspace, and the default one was deleted",
      status: 400,
      run: async (world) => {
        await withoutDefault(world)
        return record(world, {})
      },
      check: reasonIs("default_workspace_deleted")
    },
    {
      name: "events outlive their workspace",
      status: 200,
      run: async (world) => {
        await record(world, {})
        await withoutDefault(world)
        return world.call("queryAnalytics", { body: { metrics: ["request_count"] } })
      },
      check: ({ json }) => assert.deepEqual(json.data.data, [{ request_count: 1 }])
    },
    {
      name: "a repetition is a duplicate though its workspace is gone and its instant none",
      status: 200,
      run: async (world) => {
        await record(world, {})
        await withoutDefault(world)
        return record(world, {}, { created_at: "yesterday" })
      },
      check: counted(0, 2)
    },
    {
      name: "a repetition in lines, beside something new",
      status: 200,
      run: async (world) => {
        await record(world, { id: "first" })
        const gone = "00000000-0000-4000-8000-000000000000"
        return lines(
          world,
          [
            line({ id: "second" }),
            line({ id: "first", workspace_id: gone }),
            line({ id: "second", workspace_id: gone })
          ].join("")
        )
      },
      check: counted(1, 2)
    },
    {
      name: "names that the catalog does not know are kept, the variant apart",
      status: 200,
      run: (world) => record(world, { model: "nobody/knows:free" }),
      check: shows(["model", "variant"], [{ model: "nobody/knows", variant: "free", request_count: 1 }])
    },
    {
      name: "names are resolved by the catalog of the moment",
      status: 200,
      run: async (world) => {
        const author = `acme-${crypto.randomUUID()}`
        const model = {
          id: `${author}/sonnet`,
          canonical_slug: `${author}/sonnet-2026-01-01`,
          name: "Sonnet",
          created: 0,
          architecture: { input_modalities: ["text"], output_modalities: ["text"] },
          endpoints: []
        }
        await record(world, { model: model.id })
        await world.call("putCatalog", { body: { models: [model] } })
        await record(
          world,
          { id: "event-2", model: `${model.id}:free` },
          { id: "event-3", model: model.canonical_slug }
        )
        return world.call("queryAnalytics", {
          body: {
            metrics: ["request_count"],
            dimensions: ["model", "variant"],
            order_by: { field: "variant", direction: "desc" }
          }
        })
      },
      check: ({ json }) => {
        const rows = json.data.data.map((row: Record<string, string>) => [
          row["model"]?.replace(/^acme-[^/]*/, ""),
          row["variant"]
        ])
        assert.deepEqual(rows, [
          ["/sonnet-2026-01-01", "free"],
          ["/sonnet", ""],
          ["/sonnet-2026-01-01", ""]
        ])
      }
    },
    {
      name: "five minutes ahead",
      status: 200,
      run: (world) => record(world, { created_at: ahead(world, 300_000 - 1) }),
      check: shows([], [{ request_count: 1 }])
    },
    {
      name: "more than five minutes ahead",
      status: 400,
      run: (world) => record(world, { created_at: ahead(world, 300_001) }),
      check: ({ json }) => {
        assert.strictEqual(json.error.metadata.reason, "future_event")
        assert.strictEqual(json.error.metadata.issues[0].path, "events.0.created_at")
      }
    },
    good("long ago", { created_at: "0000-01-01T00:00:00.123456789Z" }),
    bad("minute precision", { created_at: "2026-03-04T11:00Z" }, "created_at"),
    bad("another zone", { created_at: "2026-03-04T11:00:00+01:00" }, "created_at"),
    bad("a day that is none", { created_at: "2026-02-30T11:00:00Z" }, "created_at"),
    good("every optional field as null", {
      api_key_hash: null,
      workspace_id: null,
      user_id: null,
      external_user: null,
      app: null,
      origin: null,
      country: null,
      endpoint_tag: null,
      reasoning_tokens: null,
      cached_tokens: null,
      tool_calls: null,
      byok: null,
      byok_cost_usd: null,
      cost_components: null,
      status: null,
      finish_reason: null,
      latency_ms: null,
      generation_ms: null,
      session_id: null,
      trace: null,
      data_region: null,
      input_modalities: null,
      output_modalities: null,
      category: null,
      language_type: null,
      sample_weight: null,
      classifiers: null,
      guardrail_invoked: null,
      response_cached: null,
      input: null,
      output: null
    }),
    good("every field, and more", {
      api_key_hash: "f".repeat(64),
      user_id: "user-1",
      external_user: "",
      app: 'a"\\{}',
      origin: "https://a.example",
      country: "DE",
      endpoint_tag: "acme/fp8",
      reasoning_tokens: 1,
      cached_tokens: 2,
      tool_calls: 3,
      byok: true,
      byok_cost_usd: 0.5,
      cost_components: { usage_upstream: "0.25", byok_fees: 0.000000001, unheard_of: "x" },
      status: "error",
      finish_reason: "stop",
      latency_ms: 0.5,
      generation_ms: 1e-300,
      session_id: "s",
      trace: { trace_id: "t", __proto__: { a: 1 } },
      data_region: "europe",
      input_modalities: ["text", 'odd"one,{}'],
      output_modalities: [],
      category: "marketing/seo",
      language_type: "natural",
      sample_weight: 1e-300,
      classifiers: { topic: { area: "code", confidence: 0.5, sure: true } },
      guardrail_invoked: true,
      response_cached: true,
      input: [{ role: "user" }],
      output: "text",
      unheard_of: { of: 1 }
    }),
    good("the largest numbers", {
      prompt_tokens: Number.MAX_SAFE_INTEGER,
      completion_tokens: Number.MAX_SAFE_INTEGER,
      cost_usd: "1000000000.000000000",
      byok_cost_usd: 1e9,
      latency_ms: Number.MAX_SAFE_INTEGER,
      generation_ms: 1e-6,
      sample_weight: 1e308
    }),
    bad("no id", { id: undefined }, "id"),
    bad("an empty id", { id: "" }, "id"),
    good("an id of 128 characters", { id: "\u{1f600}".repeat(128) }),
    bad("an id of 129 characters", { id: "i".repeat(129) }, "id"),
    bad("no model", { model: undefined }, "model"),
    bad("an empty model", { model: "" }, "model"),
    bad("no provider", { provider: undefined }, "provider"),
    bad("no prompt tokens", { prompt_tokens: undefined }, "prompt_tokens"),
    bad("half a token", { completion_tokens: 0.5 }, "completion_tokens"),
    bad("more tokens than are safe", { prompt_tokens: 2 ** 53 }, "prompt_tokens"),
    bad("negative tool calls", { tool_calls: -1 }, "tool_calls"),
    bad("no cost", { cost_usd: undefined }, "cost_usd"),
    bad("ten decimals", { cost_usd: "0.0000000001" }, "cost_usd"),
    bad("ten decimals as a number", { cost_usd: 1e-10 }, "cost_usd"),
    bad("a negative cost", { cost_usd: "-1" }, "cost_usd"),
    bad("a cost beyond 1e9", { cost_usd: "1000000000.000000001" }, "cost_usd"),
    bad("an exponent", { cost_usd: "1e3" }, "cost_usd"),
    bad("a component that is no amount", { cost_components: { usage_cache: "much" } }, "cost_components.usage_cache"),
    bad("an unknown status", { status: "fine" }, "status"),
    bad("a negative latency", { latency_ms: -1 }, "latency_ms"),
    bad("a weight of 0", { sample_weight: 0 }, "sample_weight"),
    bad("an unknown category", { category: "gossip" }, "category"),
    bad("an unknown region", { data_region: "mars" }, "data_region"),
    bad("classifiers that are a list", { classifiers: [] }, "classifiers"),
    bad("a classifier without tags", { classifiers: { topic: "code" } }, "classifiers.topic"),
    bad("a tag that is an object", { classifiers: { topic: { area: {} } } }, "classifiers.topic.area"),
    bad("a trace that is no object", { trace: "t" }, "trace"),
    refused("recordUsageEvents", "no events", { body: {} }, { path: "events", reason: "invalid_request" }),
    {
      name: "lines",
      status: 200,
      run: (world) =>
        lines(world, `${line()}\n \r\n${line({ id: "event-2" }).trim()}\r\n${line({ id: "event-3" }).trim()}`),
      check: async (answer, world) => {
        await counted(3, 0)(answer, world)
        assert.deepEqual(await shown(world, ["request_count"]), [{ request_count: 3 }])
      }
    },
    { name: "no lines", status: 200, run: (world) => lines(world, ""), check: counted(0, 0) },
    {
      name: "more lines than a JSON body may hold events, the first of each id counting",
      status: 200,
      run: (world) =>
        lines(
          world,
          Array.from({ length: 10_500 }, (_, index) => line({ id: `e${index % 10_200}`, prompt_tokens: index })).join(
            ""
          )
        ),
      check: async (answer, world) => {
        await counted(10_200, 300)(answer, world)
        assert.deepEqual(await shown(world, ["request_count", "tokens_prompt"]), [
          { request_count: 10_200, tokens_prompt: (10_200 * 10_199) / 2 }
        ])
      }
    },
    {
      name: "a bad line after thousands",
      status: 400,
      run: (world) =>
        lines(
          world,
          `${Array.from({ length: 2500 }, (_, index) => line({ id: `e${index}` })).join("")}${line({ cost_usd: -1 })}`
        ),
      check: async (answer, world) => {
        assert.strictEqual(answer.json.error.metadata.issues[0].path, "lines.2500.cost_usd")
        await leavesNothing(answer, world)
      }
    },
    {
      name: "a line that is no JSON",
      status: 400,
      run: (world) => lines(world, `${line()}{"id"`),
      check: async (answer, world) => {
        assert.strictEqual(answer.json.error.metadata.reason, "invalid_json")
        await leavesNothing(answer, world)
      }
    },
    {
      name: "a line from the future",
      status: 400,
      run: (world) => lines(world, line() + line({ id: "event-2", created_at: "2999-01-01T00:00:00Z" })),
      check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "lines.1.created_at")
    },
    {
      name: "a line of more than 1 MiB",
      status: 413,
      run: (world) => lines(world, line({ input: "x".repeat(1_048_576) }))
    },
    {
      name: "bodies larger than an ordinary request",
      status: 200,
      run: (world) => record(world, { input: "x".repeat(2_000_000) }),
      check: counted(1, 0)
    },
    {
      name: "text",
      status: 415,
      run: (world) => world.call("recordUsageEvents", { body: "x", headers: { "content-type": "text/plain" } })
    },
    {
      name: "a repetition under the same Idempotency-Key",
      status: 200,
      run: repeated(
        (world) => lines(world, line(), idempotent),
        (world) => lines(world, line(), idempotent)
      ),
      check: async (answer, world) => {
        await counted(1, 0)(answer, world)
        assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
      }
    },
    {
      name: "other lines under the same Idempotency-Key",
      status: 400,
      run: repeated(
        (world) => lines(world, line(), idempotent),
        (world) => lines(world, line() + line({ id: "event-2" }), idempotent)
      ),
      check: reasonIs("idempotency_key_reused")
    },
    ...managementOnly("recordUsageEvents", () => ({ body: { events: [event] } })),
    storeGone("UsageLog", 500, (world) => record(world, {})),
    storeGone("ModelCatalog", 500, (world) => record(world, {}))
  ]
}
