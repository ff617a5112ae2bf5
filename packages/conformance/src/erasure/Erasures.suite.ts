/** Holds a store to what erasures promise: no name stays, sums do, and a job goes on wherever it was left. */
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import {
  newApiKey,
  planQuery,
  AlertChannels,
  Alerts,
  AnalyticsReader,
  ApiKeys,
  type Budget,
  BudgetLedger,
  ChangeLog,
  DeadLetters,
  DeliveryQueue,
  Erasures,
  Retention,
  type StorePorts,
  type UsageEvent,
  UsageHistory,
  UsageLog
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Stream } from "effect"
import * as fc from "fast-check"
import { readableStream } from "../delivery/readableStream.ts"
import { newDestination, newTenant, recordFor, type Tenant } from "../delivery/waitingEvents.ts"
import { alertChannelIn } from "../stores/accountFixture.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { spendingEvent } from "../usage/spendingEvent.ts"
import { askFor, eraseAll, erasureBatch, erasureTurn, stateOf, vault, withVault } from "./erasing.ts"

const start = Date.parse("2026-03-04T12:00:00.000Z")
const at = new Date(start).toISOString()
const name = "anna"
/** Begins like her, and has what separates names in places. */
const others = ["bert", "anna b", "anna daily", "ann", "ANNA"]

const budgetOf = (entity: string, interval: Budget["interval"], limit_nanos: bigint): Budget => ({
  ...{ scope: "member", entity, guardrail_id: null, interval, limit_nanos, include_byok: false }
})

const budgetsOf = (entity: string) => [budgetOf(entity, "daily", 1_000n), budgetOf(entity, "lifetime", 5_000n)]

const hash = "a".repeat(64)

const holdFor = (tenant: Tenant, user_id: string, nanos: bigint, { key_hash } = { key_hash: hash }) =>
  Effect.flatMap(BudgetLedger, (ledger) => {
    const admission_id: string = crypto.randomUUID()
    return Effect.as(
      ledger.hold(tenant.account_id, {
        ...{ admission_id, workspace_id: tenant.workspace_id, key_hash, user_id },
        ...{ budgets: budgetsOf(user_id), costs: [{ nanos, byok: false }], hold_seconds: 600 }
      }),
      admission_id
    )
  })

const settleOf = (tenant: Tenant, user_id: string, id: string, nanos: bigint) =>
  Effect.flatMap(BudgetLedger, (ledger) =>
    ledger.settle(
      tenant.account_id,
      spendingEvent({
        ...{ id, created_at: at, workspace_id: tenant.workspace_id, api_key_hash: hash, user_id },
        ...{ cost_nanos: nanos, session_id: `session of ${user_id}`, trace: { of: user_id } }
      })
    )
  )

const eventOf = (tenant: Tenant, id: string, fields: Partial<UsageEvent>): UsageEvent =>
  spendingEvent({
    ...{ id, created_at: at, workspace_id: tenant.workspace_id, api_key_hash: null, user_id: null, ...fields }
  })

const record = ({ account_id }: Tenant, events: readonly UsageEvent[]) =>
  Effect.flatMap(UsageLog, (log) => log.recordAll(Stream.make([{ account_id, events, selected: new Map() }])))

/** What is spent and held in the budgets of a user. */
const sumsOf = ({ account_id, workspace_id }: Tenant, user: string) =>
  Effect.flatMap(BudgetLedger, (ledger) =>
    Effect.map(ledger.states(account_id, workspace_id, budgetsOf(user)), (states) =>
      states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos])
    )
  )

const query = AnalyticsQuery.parse({ metrics: ["request_count", "total_usage", "tokens_prompt"], dimensions: ["user"] })

/** Counts and costs by user. */
const byUser = Effect.fnUntraced(function* ({ account_id }: Tenant) {
  const planned = planQuery(query, start + 60_000)
  if (!planned.ok) return yield* Effect.die(new Error(planned.reason))
  const result = yield* (yield* AnalyticsReader).read(account_id, planned.plan)
  return new Map(
    result === "unknown_classifier" ? [] : result.cells.map(({ keys, measures }) => [keys[0], measures] as const)
  )
})

const range = { start: undefined, end: "2100-01-01T00:00:00.000Z", equal: {}, tag: undefined }

const eventsOf = Effect.fnUntraced(function* ({ account_id }: Tenant) {
  const history = yield* UsageHistory
  const events: UsageEvent[] = []
  for (;;) {
    const last = events.at(-1)
    const place = last === undefined ? undefined : { created_at: last.created_at, id: last.id }
    const more = yield* history.eventsBetween(account_id, range, place, { created_at: range.end, id: "" })
    if (more.length === 0) return events
    events.push(...more)
  }
})

/** What names users, each with its entity first. */
type Notices = readonly (readonly string[])[]

const warningsOf = ({ account_id, workspace_id }: Tenant) =>
  Effect.flatMap(BudgetLedger, (ledger) =>
    Effect.map(ledger.warnings(account_id, workspace_id, { limit: 100, offset: 0 }), ({ data }): Notices =>
      data.map(({ kind, budget, spent_nanos }) => [budget.entity, kind, budget.interval, String(spent_nanos)])
    )
  )

const alertsOf = ({ account_id, workspace_id }: Tenant) =>
  Effect.flatMap(Alerts, (alerts) =>
    Effect.map(alerts.list(account_id, { workspace_id }, { limit: 100, offset: 0 }), ({ data }): Notices =>
      data.map(({ type, subject, data: { entity, interval } }) => {
        // The subject has the entity as well.
        assert.strictEqual(subject, `member:${String(entity)}:${String(interval)}`)
        return [String(entity), type, String(interval)]
      })
    )
  )

/** Spending of several users, with warnings and alerts of each. */
const spending = Effect.gen(function* () {
  const tenant = yield* newTenant
  const channel = {
    ...alertChannelIn(tenant.workspace_id),
    events: ["budget.spent_80" as const, "budget.denied" as const]
  }
  yield* (yield* AlertChannels).insert(tenant.account_id, channel, new Uint8Array([1]))
  for (const user of [name, ...others]) {
    yield* settleOf(tenant, user, yield* holdFor(tenant, user, 900n), 900n)
    yield* settleOf(tenant, user, yield* holdFor(tenant, user, 50n), 50n)
    yield* holdFor(tenant, user, 10_000n)
    yield* record(tenant, [
      eventOf(tenant, `${user} reported`, { user_id: user, external_user: `end of ${user}`, cost_nanos: 7n }),
      eventOf(tenant, `for ${user}`, { external_user: user, cost_nanos: 3n })
    ])
  }
  return tenant
})

const renamed = (notices: Notices, pseudonym: string): Notices =>
  notices.map(([entity = "", ...rest]) => [entity === name ? pseudonym : entity, ...rest])

export const erasuresSuite = (
  storeName: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  { runs }: { readonly runs: number }
): void => {
  describe(`erasures on ${storeName}`, () => {
    const clock = { now: start }
    const run = storeUnderTest(withVault(makeStore), clock)

    it("leave every sum as it was, of the pseudonym from then on", () =>
      run(
        Effect.gen(function* () {
          const [tenant, other] = [yield* spending, yield* spending]
          const read = (of: Tenant) =>
            Effect.all({ users: byUser(of), warnings: warningsOf(of), alerts: alertsOf(of), sums: sumsOf(of, name) })
          const [before, elsewhere] = [yield* read(tenant), yield* read(other)]
          const restBefore = yield* Effect.forEach(others, (user) => sumsOf(tenant, user))
          assert.deepEqual(before.sums, [
            [957n, 0n],
            [957n, 0n]
          ])
          assert.isAbove(before.alerts.filter(([entity]) => entity === name).length, 1)
          const { id, pseudonym } = yield* askFor(tenant, { user_id: name })
          yield* eraseAll
          assert.deepInclude(yield* stateOf(tenant, id), { status: "succeeded", in_the_way: [] })
          const after = yield* read(tenant)
          assert.deepEqual(yield* sumsOf(tenant, pseudonym), before.sums)
          assert.deepEqual(after.sums, [
            [0n, 0n],
            [0n, 0n]
          ])
          const users = new Map([...before.users].map(([user, sums]) => [user === name ? pseudonym : user, sums]))
          assert.sameDeepMembers([...after.users], [...users])
          assert.sameDeepMembers([...after.warnings], [...renamed(before.warnings, pseudonym)])
          assert.sameDeepMembers([...after.alerts], [...renamed(before.alerts, pseudonym)])
          assert.deepEqual(yield* Effect.forEach(others, (user) => sumsOf(tenant, user)), restBefore)
          // What is spent later is added to it.
          yield* settleOf(tenant, pseudonym, yield* holdFor(tenant, pseudonym, 40n), 40n)
          assert.deepEqual(yield* sumsOf(tenant, pseudonym), [
            [997n, 0n],
            [997n, 0n]
          ])
          assert.deepEqual(yield* read(other), elsewhere)
        })
      ))

    it("wait for admissions in progress, whose usage is the pseudonym's", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* newTenant
          const admission = yield* holdFor(tenant, name, 100n)
          const { id, pseudonym } = yield* askFor(tenant, { user_id: name })
          yield* eraseAll
          assert.deepInclude(yield* stateOf(tenant, id), {
            status: "waiting",
            in_the_way: [{ kind: "open_hold", count: 1 }]
          })
          assert.deepEqual(yield* sumsOf(tenant, name), [
            [0n, 100n],
            [0n, 100n]
          ])
          yield* settleOf(tenant, name, admission, 60n)
          assert.strictEqual(yield* erasureBatch, 0)
          clock.now += 60_000
          yield* eraseAll
          assert.deepInclude(yield* stateOf(tenant, id), { status: "succeeded", erased: { usage_event: 1 } })
          assert.deepEqual(yield* sumsOf(tenant, pseudonym), [
            [60n, 0n],
            [60n, 0n]
          ])
          assert.deepEqual(
            (yield* eventsOf(tenant)).map(({ user_id, trace }) => ({ user_id, trace })),
            [{ user_id: pseudonym, trace: null }]
          )
        })
      ))

    it("wait for admissions of a host's end user, with a key that is gone as well", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* newTenant
          const keys = yield* ApiKeys
          const { record: key } = yield* newApiKey({ ...{ kind: "normal", name: "k" }, ...tenant, external_user: name })
          yield* keys.insert(key)
          const admission = yield* holdFor(tenant, "bert", 100n, { key_hash: key.hash })
          yield* keys.remove(tenant.account_id, key.hash, at)
          const { id } = yield* askFor(tenant, { external_user: name })
          yield* eraseAll
          assert.deepInclude(yield* stateOf(tenant, id), {
            status: "waiting",
            in_the_way: [{ kind: "open_hold", count: 1 }]
          })
          yield* (yield* BudgetLedger).release(tenant.account_id, admission)
          clock.now += 60_000
          yield* eraseAll
          assert.deepInclude(yield* stateOf(tenant, id), { status: "succeeded", erased: { deleted_key: 1 } })
        })
      ))

    it("find what was recorded behind them", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* spending
          const { id, pseudonym } = yield* askFor(tenant, { user_id: name })
          for (let batch = 0; batch < 2; batch++) {
            assert.strictEqual(yield* erasureBatch, 1)
            const created_at = new Date(start - 86_400_000 * (batch + 1)).toISOString()
            yield* record(tenant, [eventOf(tenant, `late ${batch}`, { created_at, user_id: name, cost_nanos: 1n })])
          }
          yield* eraseAll
          const { erased } = yield* stateOf(tenant, id)
          assert.strictEqual(erased["usage_event"], 5)
          assert.deepEqual(
            (yield* eventsOf(tenant)).filter(({ user_id }) => user_id === name),
            []
          )
          const [, [lifetime] = []] = yield* sumsOf(tenant, pseudonym)
          assert.strictEqual(lifetime, 959n)
        })
      ))

    it("of one account do not delay those of another by more than a step each", () =>
      run(
        Effect.gen(function* () {
          const [many, one] = [yield* newTenant, yield* newTenant]
          for (const user of others) yield* askFor(many, { user_id: user })
          const { id } = yield* askFor(one, { user_id: name })
          const turns: (string | undefined)[] = []
          while ((yield* stateOf(one, id)).status !== "succeeded") {
            const { value, position } = yield* erasureTurn(turns.at(-1) ?? null)
            assert.strictEqual(value, 1)
            turns.push(position)
          }
          const of = ({ account_id }: Tenant) => turns.filter((account) => account === account_id).length
          assert.isAtLeast(of(one), 4)
          assert.isAtMost(Math.abs(of(many) - of(one)), 1)
          yield* eraseAll
        })
      ))

    it("wait for the key that opens the request", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* newTenant
          yield* record(tenant, [eventOf(tenant, "one", { user_id: name })])
          const { id } = yield* askFor(tenant, { user_id: name })
          yield* Effect.provide(eraseAll, vault(8))
          assert.deepInclude(yield* stateOf(tenant, id), {
            ...{ status: "waiting", in_the_way: [{ kind: "keyring", count: 1 }], erased: {} }
          })
          clock.now += 60_000
          yield* eraseAll
          assert.deepInclude(yield* stateOf(tenant, id), { status: "succeeded", erased: { usage_event: 1 } })
        })
      ))

    it("are listed as long as changes are kept, and until they have ended", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* newTenant
          const { account_id } = tenant
          const ended = yield* askFor(tenant, { user_id: name })
          yield* eraseAll
          clock.now += 3_600_000
          const open = yield* askFor(tenant, { user_id: "bert" })
          const listed = Effect.flatMap(Erasures, (erasures) =>
            Effect.map(erasures.list(account_id, { limit: 9, offset: 0 }), ({ data, total_count }) => {
              assert.strictEqual(total_count, data.length)
              return data.map(({ id }) => id)
            })
          )
          const { sweep } = yield* Retention
          yield* sweep("changes", 3_601, 500)
          assert.deepEqual(yield* listed, [ended.id, open.id])
          yield* sweep("changes", 0, 500)
          assert.deepEqual(yield* listed, [open.id])
          yield* eraseAll
        })
      ))

    it("leave nothing of what a delivery had read before, and of what a replay had", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* newTenant
          const { account_id } = tenant
          const destination = yield* newDestination(tenant)
          const bodies = new Uint8Array([1, 2, 3])
          const events = [name, "bert", null].map((user) =>
            eventOf(tenant, `sent ${user}`, { user_id: user, external_user: user === null ? name : null })
          )
          yield* recordFor(tenant, events, [destination], () => bodies)
          const queue = yield* DeliveryQueue
          const letters = yield* DeadLetters
          const turn = Effect.gen(function* () {
            yield* readableStream
            const turns = yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 10)
            const found = turns.find(({ destination_id }) => destination_id === destination)
            if (found === undefined) return yield* Effect.die(new Error("It is not due"))
            return [found, Option.getOrThrow(yield* queue.read(found, null, { events: 9, bytes: 99 }))] as const
          })
          /** The destination refuses what was read. */
          const letDie = Effect.fnUntraced(function* ([own, { events, position }]: Effect.Success<typeof turn>) {
            const dead = events.map(({ event, sealed_bodies }) => ({
              ...{ event_id: event.id, status: 400, message: "no", sealed_bodies }
            }))
            const rest = { accepted: 0, answer: undefined, attempt: undefined }
            assert.isTrue(yield* queue.acknowledge(own, { position: position ?? "", dead, ...rest }, 10))
            yield* queue.release(own, { kind: "released" })
          })
          const ids = events.map(({ id }) => id)
          const kept = Effect.map(letters.find(account_id, destination, ids, 1_000), (found) =>
            found.map(({ event_id, sealed_bodies }) => [event_id, sealed_bodies?.length])
          )
          const inFlight = yield* turn
          yield* askFor(tenant, { user_id: name })
          yield* eraseAll
          yield* letDie(inFlight)
          assert.sameDeepMembers(yield* kept, [
            [`sent ${name}`, undefined],
            ["sent bert", 3],
            ["sent null", 3]
          ])
          const found = yield* letters.find(account_id, destination, ids, 1_000)
          yield* askFor(tenant, { external_user: name })
          yield* eraseAll
          yield* letters.requeue(account_id, destination, found, at)
          const again = yield* turn
          assert.deepEqual(
            new Map(again[1].events.map(({ event, sealed_bodies }) => [event.id, sealed_bodies?.length])),
            new Map([
              [`sent ${name}`, undefined],
              ["sent bert", 3],
              ["sent null", undefined]
            ])
          )
          yield* letDie(again)
          assert.sameDeepMembers(yield* kept, [
            [`sent ${name}`, undefined],
            ["sent bert", 3],
            ["sent null", undefined]
          ])
        })
      ))

    it("tell the caches which keys they changed", () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* newTenant
          const { record: key } = yield* newApiKey({ ...{ kind: "normal", name: "old" }, ...tenant, user_id: name })
          yield* (yield* ApiKeys).insert({ ...key, disabled: true })
          yield* askFor(tenant, { user_id: name })
          const { position } = yield* (yield* ChangeLog).since(undefined)
          yield* eraseAll
          const { changes } = yield* (yield* ChangeLog).since(position)
          assert.deepInclude(changes as readonly unknown[], {
            ...{ account_id: tenant.account_id, noun: "key", id: key.hash, workspace_id: tenant.workspace_id }
          })
        })
      ))

    it("replace the name in every event of random usage, however often the job is left", () => {
      const user = fc.constantFrom(name, ...others, null)
      const arbitrary = fc.record({
        events: fc.array(
          fc.record({
            ...{ user_id: user, external_user: user, session_id: fc.constantFrom("s1", "s2", null) },
            ...{ minutes: fc.nat({ max: 3 }), cost: fc.nat({ max: 9 }) }
          }),
          { maxLength: 12 }
        ),
        kind: fc.constantFrom("user_id" as const, "external_user" as const),
        batches: fc.nat({ max: 4 })
      })
      return fc.assert(
        fc.asyncProperty(arbitrary, async ({ events, kind, batches }) => {
          const tenant = await run(newTenant)
          const recorded = events.map(({ minutes, cost, ...fields }, index) =>
            eventOf(tenant, `event ${index}`, {
              ...fields,
              ...{ created_at: new Date(start - minutes * 60_000).toISOString(), cost_nanos: BigInt(cost) },
              trace: { index },
              classifiers:
                index % 2 === 0 ? { "trace.tags": { own: "true" } } : { "trace.tags": {}, topic: { kind: "a" } }
            })
          )
          await run(record(tenant, recorded))
          const before = await run(eventsOf(tenant))
          const { id, pseudonym } = await run(askFor(tenant, { [kind]: name }))
          for (let batch = 0; batch < batches; batch++) await run(erasureBatch)
          await run(eraseAll)
          const after = await run(eventsOf(tenant))
          const sessions = new Map<string | null, string | null>([[null, null]])
          for (const [index, event] of before.entries())
            if (event[kind] === name) sessions.set(event.session_id, after[index]?.session_id ?? null)
          assert.strictEqual(new Set(sessions.values()).size, sessions.size)
          for (const session of ["s1", "s2"]) assert.notInclude([...sessions.values()], session)
          assert.deepEqual(
            after,
            before.map((event) =>
              event[kind] === name
                ? {
                    ...event,
                    ...{ [kind]: pseudonym, session_id: sessions.get(event.session_id) ?? null, trace: null },
                    classifiers: event.classifiers?.["topic"] === undefined ? null : { topic: { kind: "a" } }
                  }
                : event
            )
          )
          const count = before.filter((event) => event[kind] === name).length
          const { status, erased } = await run(stateOf(tenant, id))
          assert.deepEqual(
            { status, erased },
            { status: "succeeded", erased: count === 0 ? {} : { usage_event: count } }
          )
        }),
        { numRuns: runs }
      )
    })
  })
}
