/** What decisions stand on is remembered up to a number of bytes, however long its entries are, until it changes. */
import { assert, describe, it } from "@effect/vitest"
import type { Guardrail, Noun } from "@gatewarden/contract/internal"
import { Deferred, Effect, Fiber, Option } from "effect"
import { makeFreshness } from "../../core/src/cache/Freshness.ts"
import { makeKeyCache } from "../../core/src/cache/KeyCache.ts"
import type { ValidatedCache } from "../../core/src/cache/ValidatedCache.ts"
import {
  type CompiledSource,
  DecisionCache,
  compiledSource,
  makeDecisionCache,
  presetPlace
} from "../../core/src/policy/DecisionCache.ts"
import { type Change, ChangeLog } from "../../core/src/ports/changeLog.ts"
import { defaultGuardrailId, unrestricted } from "../../core/src/ports/guardrails.ts"
import type { AuthenticatedKey } from "../../core/src/ports/keys.ts"
import { ModelCatalog } from "../../core/src/ports/models.ts"
import { type PolicySource, PolicySources } from "../../core/src/ports/policySources.ts"

const bytes = 8_388_608
const log = ChangeLog.of({
  since: () => Effect.succeed({ position: "1", changes: [] }),
  announce: Effect.void,
  hear: () => Effect.never
})

const text = "x".repeat(100_000)
/** A value of about 200 kB, and how many of them are looked up. */
const lookedUp = 100

/** How many of the values are still kept once all were looked up, each of an account of its own. */
const keptOf = <V>(cache: ValidatedCache<V>, value: V, slug = "preset") =>
  Effect.gen(function* () {
    const names = Array.from({ length: lookedUp }, (_, index) => presetPlace("workspace", slug, index))
    for (const name of names) yield* cache.get(name, Effect.succeed(value), name)
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return names.filter((name) => cache.kept(name, now, name) !== undefined).length
  }).pipe(Effect.provideService(ChangeLog, log))

describe("the caches of decisions", () => {
  const long: Record<string, (caches: ReturnType<typeof makeDecisionCache>) => Effect.Effect<number>> = {
    sources: ({ sources }) =>
      keptOf(
        sources,
        Option.some({
          key: {},
          workspace: {},
          rate_limits: null,
          guardrails: [{ scope: "key", guardrail: { allowed_models: [text.slice(0, 30_000)] } }]
        } as unknown as CompiledSource)
      ),
    models: ({ models }) => keptOf(models, { id: "a/b", description: text } as never),
    credentials: ({ credentials }) => keptOf(credentials, [{ name: text }] as never),
    speeds: ({ speeds }) => keptOf(speeds, Array.from({ length: 2_000 }, () => ({ latency: null })) as never),
    presets: ({ presets }) => keptOf(presets, Option.some({ system_prompt: text }) as never),
    settings: ({ settings }) => keptOf(settings, { id: text } as never)
  }

  for (const [name, kept] of Object.entries(long))
    it.effect(`keep some long entries of ${name}, and not all`, () =>
      Effect.gen(function* () {
        const count = yield* kept(makeDecisionCache(makeFreshness(Effect.runFork), bytes))
        assert.isTrue(count >= 1 && count * 180_000 <= bytes / 2, `${count} entries`)
      })
    )

  it.effect("keep some entries that were looked up by long names, and not all", () =>
    Effect.gen(function* () {
      const count = yield* keptOf(makeDecisionCache(makeFreshness(Effect.runFork), bytes).presets, Option.none(), text)
      assert.isTrue(count >= 1 && count * 180_000 <= bytes / 2, `${count} entries`)
    })
  )

  it.effect("keep what applies to some keys of long names, and not all", () =>
    Effect.gen(function* () {
      const source = { key: { name: text }, workspace: {}, rate_limits: null, guardrails: [] }
      const { sources } = makeDecisionCache(makeFreshness(Effect.runFork), bytes)
      const count = yield* keptOf(sources, Option.some(source as unknown as CompiledSource))
      assert.isTrue(count >= 1 && count * 180_000 <= bytes / 2, `${count} entries`)
    })
  )

  it.effect("look up four short entries of an account at once, and long ones one after the other", () =>
    Effect.gen(function* () {
      const { models } = makeDecisionCache(makeFreshness(Effect.runFork), bytes)
      const atOnce = { now: 0, most: 0 }
      const lookUp = (description: string) =>
        Effect.gen(function* () {
          atOnce.most = Math.max(atOnce.most, ++atOnce.now)
          yield* Effect.yieldNow
          atOnce.now--
          return { id: "a/b", description } as never
        })
      const most = (description: string, owners: readonly string[]) =>
        Effect.gen(function* () {
          atOnce.most = 0
          yield* Effect.forEach(
            owners,
            (owner, index) => models.get(`${description.length} ${index}`, lookUp(description), owner),
            { concurrency: "unbounded" }
          )
          return atOnce.most
        })
      const ofOne = Array.from({ length: 20 }, () => "acme")
      assert.strictEqual(yield* most("short", ofOne), 4)
      const heavy = text.repeat(3)
      yield* most(heavy, ["acme"])
      assert.strictEqual(yield* most(`${heavy}, too`, ofOne), 1)
      assert.strictEqual(
        yield* most(
          `${heavy} of others`,
          ofOne.map((_, index) => `other ${index}`)
        ),
        20
      )
    }).pipe(Effect.provideService(ChangeLog, log))
  )

  it.effect("keep every short entry", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* keptOf(makeDecisionCache(makeFreshness(Effect.runFork), bytes).sources, Option.none()),
        lookedUp
      )
    })
  )

  it.effect("keep keys by what their restrictions hold", () =>
    Effect.gen(function* () {
      const key = { hash: "a", account_id: "b", name: text, secrets: [] } as unknown as AuthenticatedKey
      const count = yield* keptOf(makeKeyCache(makeFreshness(Effect.runFork), bytes), key)
      assert.isTrue(count >= 1 && count * 180_000 <= bytes, `${count} entries`)
    })
  )
})

const keyOf = (fields: Partial<AuthenticatedKey>): AuthenticatedKey =>
  ({
    account_id: "acme",
    hash: "k1",
    workspace_id: "w1",
    default_workspace_id: "w9",
    user_id: "ann",
    secrets: [],
    ...fields
  }) as unknown as AuthenticatedKey

const guardrailOf = (id: string, fields: Partial<Guardrail> = {}): Guardrail => ({
  ...unrestricted,
  id,
  workspace_id: "w1",
  name: id,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null,
  ...fields
})

const sourceOf = (key: Partial<AuthenticatedKey>, guardrail: string, default_guardrail_id: string | null) =>
  Option.some({
    key: keyOf(key),
    guardrails: [guardrail, "g0"].map((id) => ({ scope: "key", guardrail: guardrailOf(id) })),
    default_guardrail_id
  } as unknown as CompiledSource)

/** Everything that two accounts have in these caches, by the same names. */
const remembered = Effect.gen(function* () {
  const freshness = makeFreshness(Effect.runFork)
  const caches = makeDecisionCache(freshness, bytes)
  const places: (() => string | undefined)[] = []
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const keep = <V>(name: string, cache: ValidatedCache<V>, owner: string, key: string, value: V) =>
    Effect.map(cache.get(key, Effect.succeed(value), owner), () => {
      places.push(() => (cache.kept(key, now, owner) === undefined ? `${owner}: ${name} ${key}` : undefined))
    })
  for (const owner of ["acme", "other"]) {
    const { sources, models, credentials, speeds, presets, settings } = caches
    yield* keep("source", sources, owner, "k1", sourceOf({}, "g1", "d1"))
    yield* keep("source", sources, owner, "k2", sourceOf({ workspace_id: "w2", user_id: "bob" }, "g2", "d2"))
    yield* keep("source", sources, owner, "k3", sourceOf({ workspace_id: null, user_id: null }, "g2", null))
    yield* keep("source", sources, owner, "k4", Option.none())
    yield* keep("model", models, owner, "a/one", { id: "a/one" } as never)
    yield* keep("credentials", credentials, owner, "w1", [])
    yield* keep("credentials", credentials, owner, "w2", [])
    yield* keep("speeds", speeds, owner, "a/one", [])
    yield* keep("preset", presets, owner, presetPlace("w1", "p", 1), Option.none())
    yield* keep("preset", presets, owner, presetPlace("w1", "p", null), Option.none())
    yield* keep("preset", presets, owner, presetPlace("w1", "pp", null), Option.none())
    yield* keep("preset", presets, owner, presetPlace("w2", "p", null), Option.none())
    yield* keep("settings", settings, owner, owner, {} as never)
  }
  return { freshness, caches, forgotten: () => places.flatMap((isForgotten) => isForgotten() ?? []), places }
}).pipe(Effect.provideService(ChangeLog, log))

const change = (
  noun: Noun,
  id: string,
  workspace_id: string | null = null,
  account_id: string | null = "acme"
): Change => ({
  account_id,
  noun,
  id,
  workspace_id
})

const sources = ["source k1", "source k2", "source k3", "source k4"]
const byCatalog = [...sources, "model a/one", "speeds a/one"]

/** What a change makes an account forget: a decision may stand on it. */
const forgetting: Record<Noun, readonly (readonly [Change, readonly string[]])[]> = {
  key: [[change("key", "k1"), ["source k1"]]],
  key_assignment: [[change("key_assignment", "k2"), ["source k2"]]],
  key_rate_limits: [[change("key_rate_limits", "k3"), ["source k3"]]],
  account: [[change("account", "acme"), sources]],
  catalog: [[change("catalog", ""), byCatalog]],
  private_endpoint: [[change("private_endpoint", "e"), byCatalog]],
  private_provider: [[change("private_provider", "p"), byCatalog]],
  byok_credential: [[change("byok_credential", "c", "w1"), ["credentials w1"]]],
  guardrail: [
    [change("guardrail", "g1", "w1"), ["source k1"]],
    [change("guardrail", "g2", "w1"), ["source k2", "source k3"]],
    [change("guardrail", "d2", "w2"), ["source k2"]],
    [change("guardrail", "g3", "w1"), []]
  ],
  member_assignment: [
    [change("member_assignment", "ann"), ["source k1"]],
    [change("member_assignment", "eve"), []]
  ],
  organization_settings: [[change("organization_settings", "acme"), ["settings acme"]]],
  preset: [
    [change("preset", "p", "w1"), ["preset w1 p 1", "preset w1 p "]],
    [change("preset", "pp", "w1"), ["preset w1 pp "]],
    [change("preset", "q", "w1"), []]
  ],
  workspace_budget: [
    [change("workspace_budget", "daily", "w2"), ["source k2"]],
    [change("workspace_budget", "daily", "w9"), []]
  ],
  workspace: [
    [change("workspace", "w1"), ["source k1", "credentials w1", "preset w1 p 1", "preset w1 p ", "preset w1 pp "]],
    [change("workspace", "w2"), ["source k2", "credentials w2", "preset w2 p "]],
    [change("workspace", "w9"), ["source k1", "source k2", "source k3"]],
    [change("workspace", "w3"), []]
  ],
  alert_channel: [[change("alert_channel", "k1", "w1"), []]],
  authorization_code: [[change("authorization_code", "k1", "w1"), []]],
  credit_grant: [[change("credit_grant", "acme"), []]],
  destination: [[change("destination", "g1", "w1"), []]],
  external_user: [[change("external_user", "ann"), []]],
  federation_policy: [[change("federation_policy", "k1"), []]],
  directory_group: [[change("directory_group", "g1"), []]],
  directory_sync: [[change("directory_sync", "acme"), []]],
  directory_user: [[change("directory_user", "ann"), []]],
  erasure: [[change("erasure", "ann"), []]],
  file: [[change("file", "k1", "w1"), []]],
  group_mapping: [[change("group_mapping", "g1"), []]],
  workspace_member: [[change("workspace_member", "ann", "w1"), []]]
}

describe("a change makes decisions forget exactly what stands on it", () => {
  for (const [noun, rows] of Object.entries(forgetting))
    it.effect(`of one account alone: ${noun}`, () =>
      Effect.gen(function* () {
        for (const [changed, names] of rows) {
          const { freshness, forgotten } = yield* remembered
          freshness.tell([changed])
          assert.deepEqual(
            forgotten(),
            names.map((name) => `acme: ${name}`),
            `${noun} ${changed.id}`
          )
        }
      })
    )

  it.effect("for the installation's catalog, of every account", () =>
    Effect.gen(function* () {
      const { freshness, forgotten } = yield* remembered
      freshness.tell([change("catalog", "", null, null)])
      assert.deepEqual(
        forgotten(),
        ["acme", "other"].flatMap((owner) => byCatalog.map((name) => `${owner}: ${name}`))
      )
    })
  )

  it.effect("for several changes of several accounts, what each of them changes", () =>
    Effect.gen(function* () {
      const { freshness, forgotten } = yield* remembered
      freshness.tell([
        change("guardrail", "d1", "w1", "other"),
        change("member_assignment", "bob"),
        change("guardrail", "g1", "w1"),
        change("preset", "pp", "w1", "other"),
        change("byok_credential", "c", "w2")
      ])
      assert.deepEqual(forgotten(), [
        "acme: source k1",
        "acme: source k2",
        "acme: credentials w2",
        "other: source k1",
        "other: preset w1 pp "
      ])
    })
  )

  it.effect("and everything where it is not known what changed", () =>
    Effect.gen(function* () {
      const { freshness, forgotten, places } = yield* remembered
      freshness.tell("everything")
      assert.lengthOf(forgotten(), places.length)
      assert.lengthOf(places, 26)
    })
  )

  /** Whether what is looked up meanwhile is kept: a source and a preset. */
  const keptAfter = (changed: Change) =>
    Effect.gen(function* () {
      const { freshness, caches } = yield* remembered
      const found = yield* Deferred.make<Option.Option<never>>()
      const place = presetPlace("w1", "new", null)
      const ofSource = yield* Effect.forkChild(caches.sources.get("k5", Deferred.await(found), "acme"))
      const ofPreset = yield* Effect.forkChild(caches.presets.get(place, Deferred.await(found), "acme"))
      yield* Effect.yieldNow
      freshness.tell([changed])
      yield* Deferred.succeed(found, Option.none())
      yield* Fiber.join(ofSource)
      yield* Fiber.join(ofPreset)
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      return [caches.sources.kept("k5", now, "acme"), caches.presets.kept(place, now, "acme")].map(
        (kept) => kept !== undefined
      )
    }).pipe(Effect.provideService(ChangeLog, log))

  it.effect("and what is being looked up, where that may stand on it", () =>
    Effect.gen(function* () {
      for (const [changed, expected] of [
        [change("key", "k1"), [true, true]],
        [change("byok_credential", "c", "w1"), [true, true]],
        [change("guardrail", "g1", "w1"), [false, true]],
        [change("member_assignment", "ann"), [false, true]],
        [change("workspace_budget", "daily", "w1"), [false, true]],
        [change("preset", "p", "w1"), [true, false]],
        [change("workspace", "w1"), [false, false]]
      ] as const)
        assert.deepEqual(yield* keptAfter(changed), [...expected], changed.noun)
    })
  )
})

const architecture = { input_modalities: ["text"], output_modalities: ["text"] }

/** A process that reads what applies to keys from a table, and how names are recorded from another. */
const reading = Effect.gen(function* () {
  const freshness = makeFreshness(Effect.runFork)
  const asked: string[] = []
  const table = new Map<string, PolicySource>()
  const recorded = new Map([
    ["a/one", { slug: "a/one-2026", variant: "", ...architecture }],
    ["a/two", { slug: "a/two", variant: "free", ...architecture }]
  ])
  const get = (hash: string) =>
    compiledSource("acme", hash).pipe(
      Effect.provideService(DecisionCache, caches),
      Effect.provideService(ChangeLog, log),
      Effect.provideService(PolicySources, {
        of: (account_id: string, secret_hash: string) =>
          Effect.sync(() => {
            asked.push(`${account_id} ${secret_hash}`)
            return Option.fromUndefinedOr(table.get(secret_hash))
          })
      } as unknown as typeof PolicySources.Service),
      Effect.provideService(ModelCatalog, {
        resolve: (account_id: string | null, names: readonly string[]) =>
          Effect.sync(() => {
            asked.push(`${account_id} ${names.join(" ")}`)
            return recorded
          })
      } as unknown as typeof ModelCatalog.Service)
    )
  const caches = makeDecisionCache(freshness, bytes)
  return { freshness, asked, table, get }
})

const stored = (key: Partial<AuthenticatedKey>, fields: Partial<Guardrail> = {}): PolicySource =>
  ({
    key: keyOf(key),
    guardrails: [{ scope: "key", guardrail: guardrailOf("g1", fields) }],
    workspace: {},
    rate_limits: null
  }) as unknown as PolicySource

describe("what applies to a key", () => {
  it.effect("is read once, and again after a change of the key", () =>
    Effect.gen(function* () {
      const { freshness, asked, table, get } = yield* reading
      table.set("k1", stored({}))
      const first = yield* get("k1")
      assert.strictEqual(yield* get("k1"), first)
      assert.deepEqual(asked, ["acme k1"])
      freshness.tell([change("key", "k1")])
      assert.notStrictEqual(yield* get("k1"), first)
      assert.deepEqual(asked, ["acme k1", "acme k1"])
    })
  )

  it.effect("is found by each secret of the key, and kept once", () =>
    Effect.gen(function* () {
      const { freshness, asked, table, get } = yield* reading
      const secrets = ["k1", "s2"].map((hash) => ({ hash, ends_at: null, has_ended: false }))
      for (const { hash } of secrets) table.set(hash, stored({ secrets }))
      yield* get("s2")
      const kept = yield* get("k1")
      assert.strictEqual(yield* get("s2"), kept)
      assert.deepEqual(asked, ["acme s2", "acme k1"])
      freshness.tell([change("key", "k1")])
      assert.notStrictEqual(yield* get("s2"), kept)
    })
  )

  it.effect("is none of an unknown key, which is kept, too", () =>
    Effect.gen(function* () {
      const { asked, get } = yield* reading
      assert.isTrue(Option.isNone(yield* get("k1")))
      assert.isTrue(Option.isNone(yield* get("k1")))
      assert.deepEqual(asked, ["acme k1"])
    })
  )

  it.effect("has its models by the names under which they are recorded, unknown ones by their own", () =>
    Effect.gen(function* () {
      const { asked, table, get } = yield* reading
      table.set("k1", stored({}, { allowed_models: ["a/one", "a/two"], ignored_models: ["a/one", "b/none"] }))
      const { policy } = Option.getOrThrow(yield* get("k1"))
      assert.deepEqual([...(policy.effective.allowed_models ?? [])], ["a/one-2026", "a/two:free"])
      assert.deepEqual([...policy.effective.ignored_models], ["a/one", "a/one-2026", "b/none"])
      assert.deepEqual(asked, ["acme k1", "acme a/one a/two b/none"])
    })
  )

  it.effect("has lists without names where a guardrail has none of them", () =>
    Effect.gen(function* () {
      const { asked, table, get } = yield* reading
      table.set("k1", stored({}, { allowed_models: ["a/one"] }))
      const { policy } = Option.getOrThrow(yield* get("k1"))
      assert.deepEqual([...(policy.effective.allowed_models ?? [])], ["a/one-2026"])
      table.set("k2", stored({ hash: "k2" }, { ignored_models: ["a/one"] }))
      yield* get("k2")
      assert.deepEqual(asked, ["acme k1", "acme a/one", "acme k2", "acme a/one"])
    })
  )

  it.effect("has the default guardrail of its workspace, stored or not, and none without a workspace", () =>
    Effect.gen(function* () {
      const { table, get } = yield* reading
      const workspace_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
      table.set("k1", stored({ workspace_id }))
      table.set("k2", stored({ hash: "k2", workspace_id: null }))
      const ids = []
      for (const hash of ["k1", "k2"]) ids.push(Option.getOrThrow(yield* get(hash)).default_guardrail_id)
      assert.deepEqual(ids, [defaultGuardrailId(workspace_id), null])
    })
  )
})
