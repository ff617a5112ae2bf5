/**
 * Holds a ledger to its definition: random histories of holds, settlements, cancellations, imports and time come out as they do
 * on the in-memory reference, and what is spent and held never passes a limit.
 */
import {
  BudgetLedger,
  BudgetWarningFeed,
  type HoldOutcome,
  type HoldRequest,
  KeyUsageReader,
  makeBudgetWarningFeed,
  noUsage,
  Retention,
  type StorePorts,
  UsageLog,
  layerMemory
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Stream } from "effect"
import * as fc from "fast-check"
import type { HandClock } from "../HandClock.ts"
import { spendingEvent } from "../usage/spendingEvent.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import {
  allBudgets,
  askedBy,
  beginning,
  budget,
  changedBudgets,
  eventOf,
  guardrails,
  key,
  otherKey,
  otherWorkspace,
  secondKey,
  step,
  thirdKey,
  usd,
  workspace_id
} from "./ledgerSteps.ts"

/** Longer runs are asked for by `npm run test:random`. They look for the smallest failure. */
const asked = process.env["GATEWARDEN_LEDGER_RUNS"]
const runs = Number(asked ?? 30)

/** Whether a hold that was granted fits every budget, by the states on which it was decided. */
const fits = (outcome: HoldOutcome): boolean =>
  !outcome.held ||
  outcome.states.every(
    ({ budget: { limit_nanos }, spent_nanos, held_nanos }, index) =>
      spent_nanos + held_nanos + (outcome.holds[index]?.nanos ?? 0n) <= limit_nanos
  )

/** What a port makes of an id that holds already is a defect, the same for every store. */
const answered = <A>(effect: Effect.Effect<A>): Effect.Effect<A | "refused"> =>
  Effect.catchDefect(effect, (defect) =>
    defect instanceof Error && defect.message === "Something is or was held under this id already"
      ? Effect.succeed("refused" as const)
      : Effect.die(defect)
  )

export const budgetLedgerSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`budget ledger: ${name}`, () => {
    const clock: HandClock = { now: beginning }
    const tried = storeUnderTest(makeStore, clock)
    const reference = storeUnderTest(() => layerMemory, clock)
    /** What listeners were told of, by the store that is tried and by the reference. */
    const heard: readonly unknown[][] = [[], []]
    const feeds = heard.map((told) => {
      const feed = makeBudgetWarningFeed()
      feed.subscribe((account_id, warning) => told.push([account_id, warning]))
      return feed
    })
    const listening = <A, E>(effect: Effect.Effect<A, E, StorePorts>, index: number) =>
      Effect.provideService(effect, BudgetWarningFeed, feeds[index] ?? makeBudgetWarningFeed())
    const both = async <A, E>(effect: Effect.Effect<A, E, StorePorts>): Promise<A> => {
      const [mine, theirs] = [await tried(listening(effect, 0)), await reference(listening(effect, 1))]
      assert.deepEqual(mine, theirs)
      return mine
    }
    const ledger = <A>(use: (ledger: BudgetLedger["Service"]) => Effect.Effect<A>) => Effect.flatMap(BudgetLedger, use)

    const release = Effect.flatMap(Retention, (port) => port.releaseExpiredHolds(1_000))
    /** Until nothing is left, of whichever account. */
    const sweep = async () => {
      for (const run of [tried, reference]) while ((await run(release)) > 0);
    }

    it(
      "answers as the reference does, and never passes a limit",
      async () => {
        if (asked !== undefined) console.info(`GATEWARDEN_SEED=${fc.readConfigureGlobal().seed}`)
        await fc.assert(
          fc.asyncProperty(
            fc.boolean(),
            fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
            async (charges, steps) => {
              clock.now = beginning
              const account_id = crypto.randomUUID()
              const admissions: string[] = []
              let made = 0
              for (const one of steps) {
                if (one.kind === "wait") {
                  clock.now += one.millis
                  // The reference charges what has expired at once, a database in the background.
                  if (charges) await sweep()
                } else if (one.kind === "hold") {
                  const admission_id = `${account_id}/${made++}`
                  admissions.push(admission_id)
                  const request = {
                    admission_id,
                    ...askedBy(one.who, one.budgets),
                    costs: one.costs,
                    hold_seconds: one.seconds,
                    on_expiry: charges ? one.on_expiry : "release"
                  }
                  assert.isTrue(fits(await both(ledger((port) => port.hold(account_id, request)))))
                } else if (one.kind === "burst") {
                  const requests = one.many.map(({ again, ...asked }) => ({
                    // An id that was held before is refused, and disturbs nobody.
                    admission_id: `${account_id}/${again && made > 0 ? made - 1 : made++}`,
                    workspace_id,
                    key_hash: key,
                    user_id: "user-1",
                    hold_seconds: 600,
                    ...asked
                  }))
                  admissions.push(...requests.map(({ admission_id }) => admission_id))
                  // However a store puts them together, it answers as if they had come one after another.
                  const outcomes = await both(
                    ledger((port) =>
                      Effect.forEach(requests, (request) => answered(port.hold(account_id, request)), {
                        concurrency: "unbounded"
                      })
                    )
                  )
                  for (const outcome of outcomes) assert.isTrue(outcome === "refused" || fits(outcome))
                } else if (one.kind === "settlements") {
                  const events = one.many.map(({ nth: place, cost, byok }) =>
                    eventOf({
                      id: admissions.at(place % Math.max(1, admissions.length)) ?? "nothing",
                      created_at: new Date(clock.now).toISOString(),
                      cost_nanos: cost,
                      byok_cost_nanos: byok
                    })
                  )
                  await both(
                    ledger((port) =>
                      Effect.forEach(events, (event) => port.settle(account_id, event), { concurrency: "unbounded" })
                    )
                  )
                } else if (one.kind === "states")
                  await both(ledger((port) => port.states(account_id, workspace_id, one.budgets)))
                else if (one.kind === "import") {
                  const created_at = new Date(clock.now - one.hours * 3_600_000).toISOString()
                  const event = eventOf({
                    id: `import-${made++}`,
                    created_at,
                    cost_nanos: one.cost,
                    byok_cost_nanos: one.byok,
                    ...(one.by === "other" ? { api_key_hash: otherKey, user_id: null } : {}),
                    ...(one.by === "elsewhere" ? { api_key_hash: thirdKey, workspace_id: otherWorkspace } : {})
                  })
                  await both(Effect.flatMap(UsageLog, (log) => log.record(account_id, Stream.succeed([event]))))
                } else {
                  const id = admissions.at(one.nth % Math.max(1, admissions.length)) ?? "nothing"
                  if (one.kind === "renew")
                    await both(ledger((port) => Effect.map(port.renew(account_id, id, 600), Option.getOrNull)))
                  else if (one.kind === "release") await both(ledger((port) => port.release(account_id, id)))
                  else {
                    const event = eventOf({
                      id,
                      created_at: new Date(clock.now).toISOString(),
                      cost_nanos: one.cost,
                      byok_cost_nanos: one.byok,
                      ...(one.knows ? {} : { user_id: null })
                    })
                    await both(ledger((port) => port.settle(account_id, event)))
                  }
                }
              }
              for (const id of [workspace_id, otherWorkspace])
                await both(ledger((port) => port.states(account_id, id, [...allBudgets, ...changedBudgets])))
              await both(ledger((port) => port.warnings(account_id, undefined, { limit: 100, offset: 0 })))
              await both(ledger((port) => port.warnings(account_id, workspace_id, { limit: 2, offset: 1 })))
              assert.deepEqual(heard[0], heard[1])
            }
          ),
          // A usual run reports a failure at once, with its seed: to look for a smaller case takes minutes.
          { numRuns: runs, endOnFailure: asked === undefined }
        )
        assert.isNotEmpty(heard[1])
      },
      120_000 + runs * 4_000
    )

    it("keeps nothing held under an id that is settled, though it was settled before it held", async () => {
      clock.now = beginning
      const account_id = crypto.randomUUID()
      const admission_id = `${account_id}/denied`
      const hold = (cost: bigint) =>
        both(
          ledger((port) =>
            port.hold(account_id, {
              admission_id,
              ...askedBy("key", allBudgets),
              costs: [{ nanos: cost, byok: false }],
              hold_seconds: 600
            })
          )
        )
      const event = eventOf({ id: admission_id, created_at: new Date(beginning).toISOString(), cost_nanos: 1n })
      const settle = () => both(ledger((port) => port.settle(account_id, event)))
      assert.isFalse((await hold(1_000n * usd)).held)
      await settle()
      assert.isTrue((await hold(1n)).held)
      await settle()
      const states = await both(ledger((port) => port.states(account_id, workspace_id, allBudgets)))
      for (const { held_nanos } of states) assert.strictEqual(held_nanos, 0n)
    })

    it("tells what is held under an id, and of nothing that is not there", async () => {
      clock.now = beginning
      const account_id = crypto.randomUUID()
      const held = (id: string, account = account_id) =>
        both(ledger((port) => Effect.map(port.heldUnder(account, id), Option.getOrNull)))
      const admission_id = `${account_id}/held`
      const size = {
        text_bytes: 12,
        images: 1,
        opaque_parts: 2,
        completion_tokens: 3,
        prediction_bytes: 4,
        choices: 5,
        server_tools: [{ field: "tools.0", name: "openrouter:web_search", most: 6 }],
        may: { read_audio: false, cache: true, cache_1h: false, write_audio: true, write_images: false }
      }
      const request = {
        admission_id,
        ...askedBy("key", allBudgets),
        costs: [
          { nanos: 2n, byok: false },
          { nanos: 3n, byok: true }
        ],
        hold_seconds: 600,
        size
      }
      assert.isNull(await held(admission_id))
      assert.isTrue((await both(ledger((port) => port.hold(account_id, request)))).held)
      assert.deepEqual(await held(admission_id), { nanos: 3n, shared_nanos: 2n, size })
      assert.isNull(await held(admission_id, crypto.randomUUID()))
      clock.now += 3_600_000
      assert.deepEqual(
        await held(admission_id),
        { nanos: 3n, shared_nanos: 2n, size },
        "a settlement may come after it has expired"
      )
      const created_at = new Date(clock.now).toISOString()
      const event = spendingEvent({ id: admission_id, workspace_id, created_at, api_key_hash: key, user_id: null })
      await both(ledger((port) => port.settle(account_id, event)))
      assert.deepEqual(await held(admission_id), { nanos: 3n, shared_nanos: undefined, size: undefined })
    })

    describe("with a charge on expiry", () => {
      const costs = [
        { nanos: 2n, byok: false },
        { nanos: 5n, byok: true }
      ]

      /** An account of its own, in which a request is held. What its budgets have spent and hold is told in one line each. */
      const scene = async (on_expiry: HoldRequest["on_expiry"]) => {
        clock.now = beginning
        const account_id = crypto.randomUUID()
        const admission_id = `${account_id}/charged`
        const asked = { admission_id, ...askedBy("key", allBudgets), costs, hold_seconds: 600, on_expiry }
        assert.isTrue((await both(ledger((port) => port.hold(account_id, asked)))).held)
        const sums = async () => {
          const states = await both(ledger((port) => port.states(account_id, workspace_id, allBudgets)))
          const { credits, byok, held, byok_held } = await both(
            Effect.map(
              Effect.flatMap(KeyUsageReader, (port) => port.usageOf(account_id, [key])),
              (used) => used.get(key) ?? noUsage
            )
          )
          return {
            budgets: states.map(({ spent_nanos, held_nanos }) => `${spent_nanos} + ${held_nanos}`),
            key: [credits, byok, held, byok_held].map(({ total }) => `${total}`).join(" ")
          }
        }
        const settle = (cost_nanos: bigint) => {
          const created_at = new Date(clock.now).toISOString()
          return both(ledger((port) => port.settle(account_id, eventOf({ id: admission_id, created_at, cost_nanos }))))
        }
        const release = () => both(ledger((port) => port.release(account_id, admission_id)))
        const renew = () => both(ledger((port) => Effect.map(port.renew(account_id, admission_id, 600), Option.isSome)))
        return { account_id, sums, settle, release, renew }
      }

      /** As told by `sums`, where all of the hold is charged. Two budgets do not count BYOK. */
      const charged = { budgets: ["2 + 0", "5 + 0", "5 + 0", "2 + 0", "5 + 0", "2 + 0"], key: "2 3 0 0" }
      const spent = (nanos: bigint) => ({ budgets: allBudgets.map(() => `${nanos} + 0`), key: `${nanos} 0 0 0` })

      it("charges all of a hold that expires, once, whoever looks first", async () => {
        const { account_id, sums } = await scene("charge")
        assert.deepEqual((await sums()).key, "0 0 2 3")
        clock.now += 600_000
        assert.deepEqual(await sums(), charged, "before anything is swept")
        await sweep()
        await sweep()
        assert.deepEqual(await sums(), charged)
        const later = { admission_id: `${account_id}/later`, ...askedBy("key", allBudgets), costs, hold_seconds: 600 }
        const { states } = await both(ledger((port) => port.hold(account_id, later)))
        assert.deepEqual(
          states.map(({ spent_nanos }) => spent_nanos),
          [2n, 5n, 5n, 2n, 5n, 2n]
        )
        // A window that is opened only now starts with it, too.
        const opened = await both(ledger((port) => port.states(account_id, workspace_id, changedBudgets)))
        assert.deepEqual(
          opened.map(({ spent_nanos }) => spent_nanos),
          [2n, 2n, 2n, 5n]
        )
      })

      it("charges it when the next request is decided, without a sweep", async () => {
        const { account_id, sums } = await scene("charge")
        clock.now += 600_000
        const whole = { costs: [{ nanos: 9n * usd - 1n, byok: false }], hold_seconds: 600 }
        const asked = { admission_id: `${account_id}/next`, ...askedBy("key", allBudgets.slice(0, 1)), ...whole }
        assert.isFalse((await both(ledger((port) => port.hold(account_id, asked)))).held)
        assert.deepEqual(await sums(), charged)
      })

      it("replaces the charge by a settlement that comes later, and by none if it came before", async () => {
        const late = await scene("charge")
        clock.now += 600_000
        await sweep()
        const [first] = (await late.settle(1n)).charges
        assert.deepInclude(first, { nanos: 1n, overdraft_nanos: 0n })
        assert.deepEqual(await late.sums(), spent(1n))
        await late.settle(4n)
        await late.release()
        assert.deepEqual(await late.sums(), spent(1n), "a repetition changes nothing")

        const between = await scene("charge")
        clock.now += 600_000
        await between.settle(1n)
        await sweep()
        assert.deepEqual(await between.sums(), spent(1n), "expired, and not swept yet")

        const early = await scene("charge")
        await early.settle(1n)
        clock.now += 600_000
        await sweep()
        assert.deepEqual(await early.sums(), spent(1n))
      })

      it("takes the charge back for a cancellation, and charges a renewed hold when it expires in turn", async () => {
        const { sums, release, renew } = await scene("charge")
        clock.now += 599_000
        assert.isTrue(await renew())
        clock.now += 599_000
        await sweep()
        assert.deepEqual((await sums()).key, "0 0 2 3")
        clock.now += 1_000
        await sweep()
        assert.isFalse(await renew())
        assert.deepEqual(await sums(), charged)
        await release()
        await release()
        assert.deepEqual(await sums(), spent(0n))
      })

      it("gives back what expires unless it was asked", async () => {
        for (const on_expiry of ["release", undefined] as const) {
          const { sums } = await scene(on_expiry)
          clock.now += 600_000
          await sweep()
          assert.deepEqual(await sums(), spent(0n))
        }
      })
    })

    it("limits a member over all keys in a workspace, and each key, by the budget of a default guardrail", async () => {
      clock.now = beginning
      const account_id = crypto.randomUUID()
      const hold = (id: string, workspace: string, key_hash: string, user_id: string | null, limit: bigint) =>
        both(
          ledger((port) =>
            port.hold(account_id, {
              admission_id: `${account_id}/${id}`,
              workspace_id: workspace,
              key_hash,
              user_id,
              budgets: [
                ...(user_id === null
                  ? []
                  : [budget("workspace_default_member", user_id, "daily", limit, false, guardrails[0])]),
                budget("workspace_default_key", key_hash, "daily", limit, false, guardrails[0])
              ],
              costs: [{ nanos: 2n, byok: false }],
              hold_seconds: 600
            })
          )
        )
      assert.isTrue((await hold("1", workspace_id, key, "user-1", 3n)).held)
      const second = await hold("2", workspace_id, secondKey, "user-1", 3n)
      assert.deepEqual(
        second.states.map(({ budget: { scope, entity }, held_nanos }) => [scope, entity, held_nanos]),
        [
          ["workspace_default_member", "user-1", 2n],
          ["workspace_default_key", secondKey, 0n]
        ]
      )
      assert.isFalse(second.held)
      assert.isTrue((await hold("3", otherWorkspace, thirdKey, "user-1", 3n)).held, "of another workspace")
      assert.isTrue((await hold("4", workspace_id, otherKey, null, 3n)).held, "without a member")
      const [denied] = (await both(ledger((port) => port.warnings(account_id, undefined, { limit: 9, offset: 0 }))))
        .data
      assert.deepInclude(denied?.budget, { scope: "workspace_default_member", entity: "user-1" })
      const event = eventOf({ id: `${account_id}/1`, created_at: new Date(beginning).toISOString(), cost_nanos: 1n })
      assert.deepEqual(
        (await both(ledger((port) => port.settle(account_id, event)))).charges.map(({ budget: { scope }, nanos }) => [
          scope,
          nanos
        ]),
        [
          ["workspace_default_member", 1n],
          ["workspace_default_key", 1n]
        ]
      )
      assert.isTrue((await hold("5", workspace_id, secondKey, "user-1", 3n)).held)
    })

    it("never grants more than a limit to many at once, and gives back what expires", async () => {
      clock.now = beginning
      const account_id = crypto.randomUUID()
      const ask = (id: string) =>
        ledger((port) =>
          port.hold(account_id, {
            admission_id: `${account_id}/${id}`,
            workspace_id,
            key_hash: key,
            user_id: "user-1",
            budgets: allBudgets,
            costs: [{ nanos: usd / 10n, byok: false }],
            hold_seconds: 30
          })
        )
      const all = await tried(
        Effect.forEach(
          Array.from({ length: 100 }, (_, index) => `${index}`),
          ask,
          { concurrency: "unbounded" }
        )
      )
      assert.lengthOf(
        all.filter(({ held }) => held),
        30
      )
      clock.now += 30_000
      assert.isTrue((await tried(ask("later"))).held)
      const states = await tried(ledger((port) => port.states(account_id, workspace_id, allBudgets)))
      assert.deepEqual(
        states.map(({ held_nanos }) => held_nanos),
        allBudgets.map(() => usd / 10n)
      )
    })
  })
}
