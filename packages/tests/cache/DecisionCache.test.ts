/** What decisions stand on is remembered up to a number of bytes, however long its entries are. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeFreshness } from "../../core/src/cache/Freshness.ts"
import { makeKeyCache } from "../../core/src/cache/KeyCache.ts"
import type { ValidatedCache } from "../../core/src/cache/ValidatedCache.ts"
import { type CompiledSource, makeDecisionCache, presetPlace } from "../../core/src/policy/DecisionCache.ts"
import { ChangeLog } from "../../core/src/ports/changeLog.ts"
import type { AuthenticatedKey } from "../../core/src/ports/keys.ts"

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
const keptOf = <V>(cache: ValidatedCache<V>, value: V) =>
  Effect.gen(function* () {
    const names = Array.from({ length: lookedUp }, (_, index) => presetPlace("workspace", "preset", index))
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
      yield* most(text, ["acme"])
      assert.strictEqual(yield* most(`${text}, too`, ofOne), 1)
      assert.strictEqual(
        yield* most(
          `${text} of others`,
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
