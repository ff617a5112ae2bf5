import { assert, describe, it } from "@effect/vitest"
import type { ByokCredential, Percentiles, ProviderPreferences } from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { compilePolicy } from "../../core/src/policy/CompiledPolicy.ts"
import { objectionsTo } from "../../core/src/policy/judgeCandidate.ts"
import {
  type EndpointSpeed,
  type Measured,
  asksForMeasurements,
  orderCandidates
} from "../../core/src/policy/orderCandidates.ts"

const at = (provider: string, prompt: string, completion: string) =>
  catalogEndpoint(provider, {
    provider_name: provider.toUpperCase(),
    tag: `${provider}/fast`,
    pricing: { prompt, completion }
  })

const models = [
  catalogModel("a/one", {
    canonical_slug: "a/one-2026",
    endpoints: [at("dear", "0.002", "0.003"), at("cheap", "0.0005", "0.0005"), at("middle", "0.0001", "0.004")]
  }),
  catalogModel("b/two", { endpoints: [at("cheap", "0", "0")] })
]

const credential = (id: string, provider: string, fields: Partial<ByokCredential> = {}) =>
  ({
    id,
    provider,
    label: id,
    disabled: false,
    is_fallback: false,
    is_required: false,
    is_byok_only: false,
    declared_region: null,
    declared_zdr: null,
    sort_order: 0,
    allowed_api_key_hashes: null,
    allowed_models: null,
    allowed_user_ids: null,
    ...fields
  }) as ByokCredential

const spread = (value: number): Percentiles => ({ p50: value, p75: value, p90: value, p99: value })

const ordered = (
  provider: ProviderPreferences,
  credentials: readonly ByokCredential[] = [],
  measured: Measured = () => undefined
) =>
  orderCandidates(
    { models, credentials, zdrGroups: new Map() },
    { api_key_hash: "0".repeat(64), user_id: null },
    provider,
    measured
  )

/** The first model's, shared capacity by its provider, brought keys by their ids. */
const order = (
  provider: ProviderPreferences,
  credentials: readonly ByokCredential[] = [],
  measured: Measured = () => undefined
) =>
  ordered(provider, credentials, measured)
    .filter(({ model }) => model === "a/one")
    .map(({ provider: name, byok_id }) => byok_id ?? name)

describe("orderCandidates", () => {
  it("goes model by model, each in the catalog's order", () => {
    assert.deepEqual(
      ordered({}).map(({ model, provider }) => [model, provider]),
      [
        ["a/one", "dear"],
        ["a/one", "cheap"],
        ["a/one", "middle"],
        ["b/two", "cheap"]
      ]
    )
  })

  it("puts first what the request names, by provider, by its name or by tag, as it names them", () => {
    assert.deepEqual(order({ order: ["middle/fast", "cheap"] }), ["middle", "cheap", "dear"])
    assert.deepEqual(order({ order: ["elsewhere", "middle"] }), ["middle", "dear", "cheap"])
    assert.deepEqual(order({ order: ["MIDDLE", "CHEAP"] }), ["middle", "cheap", "dear"])
  })

  it("puts the cheapest first where that is asked for, prompt and completion together, after what is named", () => {
    assert.deepEqual(order({ sort: "price" }), ["cheap", "middle", "dear"])
    assert.deepEqual(order({ sort: "price", order: ["dear"] }), ["dear", "cheap", "middle"])
    assert.deepEqual(order({ sort: { by: "price", partition: "model" } }), ["cheap", "middle", "dear"])
    for (const sort of ["latency", { by: "latency" }, {}, null, "exacto"] as const)
      assert.deepEqual(order({ sort }), ["dear", "cheap", "middle"])
  })

  it("puts an endpoint whose price nobody knows behind all others", () => {
    const unpriced = [catalogModel("a/one", { endpoints: [at("hidden", "-1", "0"), at("dear", "9", "9")] })]
    const sorted = orderCandidates(
      { models: unpriced, credentials: [], zdrGroups: new Map() },
      { api_key_hash: "0".repeat(64), user_id: null },
      { sort: "price" }
    )
    assert.deepEqual(
      sorted.map(({ provider }) => provider),
      ["dear", "hidden"]
    )
  })

  it("sorts by the median of what was measured, the unmeasured last", () => {
    const speeds: Record<string, EndpointSpeed> = {
      dear: { latency: spread(900), throughput: spread(20) },
      middle: { latency: spread(300), throughput: spread(80) }
    }
    const measured: Measured = ({ provider }) => speeds[provider]
    assert.deepEqual(order({ sort: "latency" }, [], measured), ["middle", "dear", "cheap"])
    assert.deepEqual(order({ sort: "throughput" }, [], measured), ["middle", "dear", "cheap"])
    assert.deepEqual(order({ sort: { by: "latency" }, order: ["cheap"] }, [], measured), ["cheap", "middle", "dear"])
    assert.deepEqual(order({ preferred_max_latency: 1 }, [], measured), ["dear", "middle", "cheap"])
    assert.deepEqual(order({ preferred_max_latency: 0.5 }, [], measured), ["middle", "dear", "cheap"])
    assert.deepEqual(order({ preferred_min_throughput: { p50: 50, p99: 81 } }, [], measured), [
      "dear",
      "cheap",
      "middle"
    ])
    assert.deepEqual(order({ preferred_min_throughput: { p50: 50, p99: 80 } }, [], measured), [
      "middle",
      "dear",
      "cheap"
    ])
    assert.deepEqual(order({ sort: "price", preferred_max_latency: 1 }, [], measured), ["middle", "dear", "cheap"])
  })

  it("prefers an endpoint that is exactly as fast as it has to be", () => {
    const measured: Measured = ({ provider }) =>
      provider === "middle" ? { latency: spread(900), throughput: spread(50) } : undefined
    const first = (preferences: ProviderPreferences) => order(preferences, [], measured)[0]
    assert.strictEqual(first({ preferred_max_latency: 0.9 }), "middle")
    assert.strictEqual(first({ preferred_max_latency: 0.899 }), "dear")
    assert.strictEqual(first({ preferred_min_throughput: 50 }), "middle")
    assert.strictEqual(first({ preferred_min_throughput: 50.1 }), "dear")
  })

  it("takes what was not measured for slower than anything, each measurement for itself", () => {
    const speeds: Record<string, EndpointSpeed> = {
      dear: { latency: null, throughput: spread(20) },
      cheap: { latency: spread(300), throughput: null },
      middle: { latency: spread(200), throughput: spread(10) }
    }
    const measured: Measured = ({ provider }) => speeds[provider]
    assert.deepEqual(order({ sort: "latency" }, [], measured), ["middle", "cheap", "dear"])
    assert.deepEqual(order({ sort: "throughput" }, [], measured), ["dear", "middle", "cheap"])
    assert.deepEqual(order({ preferred_max_latency: 1 }, [], measured), ["cheap", "middle", "dear"])
    assert.deepEqual(order({ preferred_min_throughput: 1 }, [], measured), ["dear", "middle", "cheap"])
  })

  it.each<readonly [ProviderPreferences, boolean]>([
    [{}, false],
    [{ sort: null, preferred_max_latency: null, preferred_min_throughput: null }, false],
    [{ sort: "price", order: ["dear"] }, false],
    [{ sort: "exacto" }, false],
    [{ sort: { by: "price" } }, false],
    [{ sort: "latency" }, true],
    [{ sort: "throughput" }, true],
    [{ sort: { by: "latency" } }, true],
    [{ sort: { by: "throughput" } }, true],
    [{ preferred_max_latency: 1 }, true],
    [{ preferred_min_throughput: { p50: 1 } }, true]
  ])("asks for measurements only where the order depends on them: %j", (preferences, asks) =>
    assert.strictEqual(asksForMeasurements(preferences), asks)
  )

  it("sorts the endpoints of all models together where they are not to be told apart", () => {
    const names = (provider: ProviderPreferences) =>
      ordered(provider).map(({ model, provider: name }) => `${model} ${name}`)
    assert.deepEqual(names({ sort: { by: "price", partition: "none" } }), [
      "b/two cheap",
      "a/one cheap",
      "a/one middle",
      "a/one dear"
    ])
    assert.deepEqual(names({ sort: { by: "price" } }).at(-1), "b/two cheap")
  })

  it("tries the workspace's keys before and after shared capacity, whatever provider is named", () => {
    const credentials = [
      credential("last", "dear", { is_fallback: true, sort_order: 2 }),
      credential("late", "dear", { sort_order: 1 }),
      credential("early", "middle"),
      credential("later", "cheap", { is_fallback: true, sort_order: 1 }),
      credential("none's", "elsewhere")
    ]
    assert.deepEqual(order({ order: ["cheap"] }, credentials), [
      "early",
      "late",
      "cheap",
      "dear",
      "middle",
      "later",
      "last"
    ])
  })

  it("knows a model by its id and its canonical slug in what a key is allowed", () => {
    const allowed = (name: string) => order({}, [credential("own", "dear", { allowed_models: [name] })]).includes("own")
    assert.deepEqual(["a/one", "a/one-2026", "b/two"].map(allowed), [true, true, false])
  })

  it("knows a variant by the name that it shares with the others, too", () => {
    const variant = catalogModel("a/one:free", { canonical_slug: "a/one-2026", endpoints: [at("dear", "0", "0")] })
    const allowed = (name: string) =>
      orderCandidates(
        {
          models: [variant],
          credentials: [credential("own", "dear", { allowed_models: [name] })],
          zdrGroups: new Map()
        },
        { api_key_hash: "0".repeat(64), user_id: null },
        {}
      ).some(({ byok_id }) => byok_id === "own")
    assert.deepEqual(["a/one:free", "a/one-2026:free", "a/one-2026", "a/one"].map(allowed), [true, true, true, false])
  })

  it("keeps a private endpoint without a credential, for the denial to tell what it lacks", () => {
    const model = catalogModel("a/one", { endpoints: [at("dear", "1", "1"), at("own", "0", "0")] })
    const [dear, own] = model.endpoints
    const upstream = { base_url: "https://inference.example.com", model: "m" }
    const endpoints = dear && own ? [dear, { ...own, upstream }] : []
    const judged = (...credentials: readonly ByokCredential[]) =>
      orderCandidates(
        {
          models: [{ ...model, endpoints }],
          credentials,
          zdrGroups: new Map()
        },
        { api_key_hash: "0".repeat(64), user_id: null },
        {}
      ).map(({ provider, source, lacks_credential }) => [provider, source, lacks_credential === true])
    const lacking = [
      ["dear", "shared", false],
      ["own", "shared", true]
    ]
    assert.deepEqual(judged(), lacking)
    assert.deepEqual(judged(credential("other", "elsewhere")), lacking)
    assert.deepEqual(judged(credential("theirs", "own", { disabled: true })), lacking)
    assert.deepEqual(judged(credential("one", "own")), [
      ["own", "byok", false],
      ["dear", "shared", false]
    ])
    // Its own key comes before every other, whatever their order.
    for (const sort_order of [0, 9])
      assert.deepEqual(
        judged(credential("other", "dear", { sort_order: 5 }), credential("one", "own", { sort_order })),
        [
          ["own", "byok", false],
          ["dear", "byok", false],
          ["dear", "shared", false]
        ]
      )
  })

  it("claims shared capacity of a key's provider alone, for every key and field that does", () => {
    const credentials = [
      credential("required", "dear", { is_required: true }),
      credential("only", "dear", { is_byok_only: true }),
      credential("plain", "cheap")
    ]
    const claims = ordered({}, credentials).map(({ source, provider, claims: found }) => [source, provider, found])
    assert.deepEqual(claims, [
      ["byok", "dear", []],
      ["byok", "dear", []],
      ["byok", "cheap", []],
      [
        "shared",
        "dear",
        [
          { byok_id: "required", field: "is_required" },
          { byok_id: "only", field: "is_byok_only" }
        ]
      ],
      ["shared", "cheap", []],
      ["shared", "middle", []],
      ["byok", "cheap", []],
      ["shared", "cheap", []]
    ])
  })

  it("takes ten ordinary keys and ten fallbacks for an endpoint, and of all their claims one too many to release it", () => {
    const credentials = Array.from({ length: 60 }, (_, index) =>
      credential(`${index}`, "dear", {
        is_fallback: index % 2 === 1,
        is_required: index % 2 === 0,
        sort_order: 100 - index
      })
    )
    const all = ordered({}, credentials).filter(({ provider }) => provider === "dear")
    const ids = (from: number, to: number) => all.slice(from, to).map(({ byok_id }) => byok_id)
    const tenFrom = (first: number) => Array.from({ length: 10 }, (_, index) => `${first - 2 * index}`)
    assert.deepEqual(ids(0, 10), tenFrom(58))
    assert.deepEqual(ids(11, 21), tenFrom(59))
    assert.lengthOf(all, 21)
    const objections = objectionsTo(
      compilePolicy([], (name) => name),
      { ingress_region: "global", provider: {} },
      all[10] ?? assert.fail()
    )
    assert.deepEqual(
      objections.map(({ edit }) => edit !== null),
      [...Array.from({ length: 20 }, () => true), false]
    )
  })

  it("claims shared capacity of a whole provider for a key that covers other models, unless it is another's key", () => {
    const claimed = (fields: Partial<ByokCredential>) =>
      ordered({}, [credential("only", "cheap", { is_byok_only: true, ...fields })]).flatMap(
        ({ source, model, provider, claims }) => (source === "shared" && claims.length > 0 ? [[model, provider]] : [])
      )
    const everyModel = [
      ["a/one", "cheap"],
      ["b/two", "cheap"]
    ]
    for (const allowed_models of [null, ["a/one"], ["c/three"], []])
      assert.deepEqual(claimed({ allowed_models }), everyModel)
    assert.deepEqual(claimed({ allowed_models: ["a/one"], is_byok_only: false, is_required: true }), [
      ["a/one", "cheap"]
    ])
    assert.deepEqual(
      ordered({}, [credential("only", "cheap", { is_byok_only: true, allowed_models: ["c/three"] })])
        .filter(({ provider }) => provider === "cheap")
        .map(({ claims }) => claims),
      [[{ byok_id: "only", field: "is_byok_only" }], [{ byok_id: "only", field: "is_byok_only" }]]
    )
    for (const others of [{ disabled: true }, { allowed_user_ids: ["ann"] }, { allowed_api_key_hashes: ["1"] }])
      assert.deepEqual(claimed(others), [])
  })
})
