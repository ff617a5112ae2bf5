import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { accessCases, type CasesOf, reasonIs, storeGone } from "../http/Case.ts"
import { endpoint, list, model, newAuthor, record } from "./catalog.ts"

const read = (world: World, author: string, slug: string, headers: Record<string, string> = {}) =>
  world.call("listEndpoints", { params: { author, slug }, headers })

/** The instant some milliseconds ago. */
const ago = (world: World, millis: number) => new Date(world.installation.clock.now - millis).toISOString()

const minute = 60_000

const byTag = (answer: {
  readonly json: { readonly data: { readonly endpoints: readonly { readonly tag: string }[] } }
}) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- the contract has checked the shape
  Object.fromEntries(answer.json.data.endpoints.map((item) => [item.tag, item])) as Record<string, any>

export const listEndpoints: CasesOf = {
  operation: "listEndpoints",
  cases: [
    {
      name: "everything that the catalog has, and nothing measured yet",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(
          world,
          model(`${author}/m`, {
            canonical_slug: `${author}/m-2026`,
            endpoints: [
              endpoint({
                max_completion_tokens: 4096,
                max_prompt_tokens: 8000,
                quantization: "fp8",
                status: -2,
                supports_implicit_caching: true,
                data_regions: ["europe"],
                zero_data_retention: true,
                trains_on_data: true,
                publishes_prompts: true
              })
            ]
          })
        )
        const answer = await read(world, author, "m")
        assert.deepEqual(answer.json, {
          data: {
            id: `${author}/m`,
            name: "Model",
            created: 1_767_225_600,
            description: "For tests",
            architecture: {
              input_modalities: ["text"],
              output_modalities: ["text"],
              modality: "text->text",
              instruct_type: "chatml",
              tokenizer: "Other"
            },
            endpoints: [
              {
                name: "Acme | model",
                model_id: `${author}/m-2026`,
                model_name: "Model",
                provider_name: "Acme",
                tag: "acme/fp8",
                context_length: 8192,
                max_completion_tokens: 4096,
                max_prompt_tokens: 8000,
                pricing: { prompt: "0.000001", completion: "0.000002", request: "0", image: "0" },
                quantization: "fp8",
                status: "-2",
                supported_parameters: ["temperature", "tools"],
                supports_implicit_caching: true,
                supports_tool_choice: { auto: true, function: true, none: true, required: true },
                latency_last_30m: null,
                throughput_last_30m: null,
                uptime_last_5m: null,
                uptime_last_30m: null,
                uptime_last_1d: null
              }
            ]
          }
        })
        return answer
      }
    },
    {
      name: "the public client gets an integer status, and the tool choice that the catalog tells",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const supports_tool_choice = { auto: true, function: false, none: true, required: false }
        await list(world, model(`${author}/m`, { endpoints: [endpoint({ status: -5, supports_tool_choice })] }))
        const answer = await read(world, author, "m", { "user-agent": "speakeasy-sdk/typescript 1.3.19" })
        assert.deepInclude(answer.json.data.endpoints[0], { status: -5, supports_tool_choice })
        return answer
      }
    },
    {
      name: "a model without endpoints, with a management key",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`, { endpoints: [] }))
        return world.call("listEndpoints", { params: { author, slug: "m" }, key: world.managementKey })
      },
      check: ({ json }) => assert.deepEqual(json.data.endpoints, [])
    },
    {
      name: "by slug or canonical slug, with or without a variant, decoded once; the entry of the variant first",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(
          world,
          model(`${author}/m`, { name: "base", canonical_slug: `${author}/m-2026` }),
          model(`${author}/m:free`, { name: "free", canonical_slug: `${author}/m-2026` }),
          model(`${author}/dated:thinking`, { name: "thinking" })
        )
        const expected: Readonly<Record<string, string>> = {
          m: "base",
          "m-2026": "base",
          "m:beta": "base",
          "m-2026:beta": "base",
          "m:free": "free",
          "m-2026:free": "free",
          "m%3Afree": "free",
          "%6d": "base",
          "dated:thinking": "thinking"
        }
        for (const [slug, name] of Object.entries(expected)) {
          const answer = await world.send("GET", `/models/${author}/${slug}/endpoints`, { key: world.normalKey })
          assert.strictEqual(answer.json.data?.name, name, slug)
        }
        for (const slug of ["dated", "dated:free", "m%253Afree", "%256d", "M", "m-", "m%2Fx", "m%20"]) {
          const answer = await world.send("GET", `/models/${author}/${slug}/endpoints`, { key: world.normalKey })
          assert.strictEqual(answer.status, 404, slug)
        }
        return read(world, author, "m")
      }
    },
    {
      name: "an id comes before another model's canonical slug",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        await list(
          world,
          model(`${author}/a`, { name: "alias", canonical_slug: `${author}/b` }),
          model(`${author}/b`, { name: "own" })
        )
        return read(world, author, "b")
      },
      check: ({ json }) => assert.strictEqual(json.data.name, "own")
    },
    {
      name: "nearest-rank percentiles of what went well in the last half hour",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const at = (millis: number, fields: Record<string, unknown>) => ({
          model: `${author}/m`,
          created_at: ago(world, millis),
          endpoint_tag: "acme/fp8",
          ...fields
        })
        await list(world, model(`${author}/m`))
        await record(
          world,
          at(0, { latency_ms: 400, completion_tokens: 100, generation_ms: 1000 }),
          at(minute, { latency_ms: 100.5, completion_tokens: 300, generation_ms: 2000 }),
          at(30 * minute, { latency_ms: 300, completion_tokens: 10, generation_ms: 0 }),
          at(5, { latency_ms: 200 }),
          at(30 * minute + 1, { latency_ms: 9000, completion_tokens: 9000, generation_ms: 1000 }),
          at(1, { latency_ms: 8000, status: "error" }),
          at(1, { latency_ms: 8000, status: "cancelled" }),
          at(-1, { latency_ms: 8000 })
        )
        return read(world, author, "m")
      },
      check: ({ json }) => {
        const [measured] = json.data.endpoints
        assert.deepEqual(measured.latency_last_30m, { p50: 200, p75: 300, p90: 400, p99: 400 })
        assert.deepEqual(measured.throughput_last_30m, { p50: 100, p75: 150, p90: 150, p99: 150 })
      }
    },
    {
      name: "uptime counts successes and errors of three windows, both ends included",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const at = (millis: number, status: string) => ({
          model: `${author}/m`,
          created_at: ago(world, millis),
          endpoint_tag: "acme/fp8",
          status
        })
        await list(world, model(`${author}/m`))
        await record(
          world,
          at(5 * minute, "ok"),
          at(5 * minute + 1, "error"),
          at(30 * minute, "ok"),
          at(30 * minute + 1, "error"),
          at(24 * 60 * minute, "error"),
          at(24 * 60 * minute + 1, "ok"),
          at(0, "rate_limited"),
          at(0, "cancelled"),
          at(0, "blocked")
        )
        return read(world, author, "m")
      },
      check: ({ json }) =>
        assert.deepInclude(json.data.endpoints[0], {
          uptime_last_5m: 100,
          uptime_last_30m: 200 / 3,
          uptime_last_1d: 40
        })
    },
    {
      name: "an event belongs to the endpoint of its tag, without one to each of its provider",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const base = { model: `${author}/m`, created_at: ago(world, 1) }
        await list(
          world,
          model(`${author}/m`, {
            endpoints: [
              endpoint({ tag: "acme/fp8" }),
              endpoint({ tag: "acme/bf16" }),
              endpoint({ tag: "other", provider_slug: "other" }),
              endpoint({ tag: "idle", provider_slug: "idle" })
            ]
          })
        )
        await record(
          world,
          { ...base, endpoint_tag: "acme/fp8", latency_ms: 10 },
          { ...base, latency_ms: 20 },
          { ...base, provider: "other", latency_ms: 30 },
          { ...base, provider: "idle", endpoint_tag: "acme/bf16", latency_ms: 40 },
          { ...base, endpoint_tag: "retired", latency_ms: 50 },
          { ...base, provider: "nobody", latency_ms: 60 }
        )
        return read(world, author, "m")
      },
      check: (answer) => {
        const found = byTag(answer)
        const p = (p50: number, p99: number) => ({ p50, p75: p99, p90: p99, p99 })
        assert.deepEqual(found["acme/fp8"].latency_last_30m, p(10, 20))
        assert.deepEqual(found["acme/bf16"].latency_last_30m, p(20, 40))
        assert.deepEqual(found["other"].latency_last_30m, p(30, 30))
        assert.isNull(found["idle"].latency_last_30m)
        assert.isNull(found["idle"].uptime_last_1d)
      }
    },
    {
      name: "a variant that the catalog lists is measured apart, another with its base",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const at = (name: string, latency_ms: number) => ({
          model: `${author}/${name}`,
          created_at: ago(world, 1),
          latency_ms
        })
        await list(
          world,
          model(`${author}/m`, { canonical_slug: `${author}/m-2026` }),
          model(`${author}/m:free`, { canonical_slug: `${author}/m-2026` })
        )
        await record(world, at("m", 1), at("m-2026", 2), at("m:beta", 3), at("m:free", 4), at("m-2026:free", 5))
        const free = await read(world, author, "m:free")
        assert.deepInclude(free.json.data.endpoints[0].latency_last_30m, { p50: 4, p99: 5 })
        return read(world, author, "m")
      },
      check: ({ json }) => assert.deepInclude(json.data.endpoints[0].latency_last_30m, { p50: 2, p99: 3 })
    },
    {
      name: "another account's reports of itself change no statistics",
      status: 200,
      run: async (world) => {
        const author = newAuthor()
        const other = await world.other()
        await list(world, model(`${author}/m`, { endpoints: [endpoint({ tag: "a", provider_slug: "acme" })] }))
        const good = { model: `${author}/m`, created_at: ago(world, minute), endpoint_tag: "a", completion_tokens: 10 }
        await record(world, { ...good, latency_ms: 100, generation_ms: 1000 })
        const before = await read(world, author, "m")
        const attack = await other.call("recordUsageEvents", {
          key: other.managementKey,
          body: {
            events: Array.from({ length: 50 }, (_, at) => ({
              ...good,
              id: `attack-${at}`,
              provider: "acme",
              prompt_tokens: 1,
              cost_usd: "0",
              latency_ms: 90_000,
              generation_ms: 1,
              status: at % 2 === 0 ? "error" : "ok"
            }))
          }
        })
        assert.strictEqual(attack.status, 200, attack.text)
        const after = await read(world, author, "m")
        assert.deepEqual(after.json, before.json)
        return after
      },
      check: ({ json }) =>
        assert.deepInclude(json.data.endpoints[0], {
          uptime_last_1d: 100,
          latency_last_30m: { p50: 100, p75: 100, p90: 100, p99: 100 }
        })
    },
    ...accessCases("listEndpoints", () => ({ params: { author: "acme", slug: "m" } })),
    { name: "unknown", status: 404, run: (world) => read(world, newAuthor(), "m") },
    {
      name: "a model of a known author that is not listed",
      status: 404,
      run: async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`))
        return read(world, author, "n")
      },
      check: reasonIs("not_found")
    },
    storeGone("ModelCatalog", 500, (world) => read(world, "acme", "m")),
    storeGone("EndpointStatisticsReader", 500, async (world) => {
      const author = newAuthor()
      await list(world, model(`${author}/m`))
      return read(world, author, "m")
    })
  ]
}
