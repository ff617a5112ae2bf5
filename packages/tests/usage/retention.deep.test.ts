/** A year of synthetic days: what sweeps leave is bounded, but for usage. */
import {
  ApiKeys,
  AlertChannels,
  AuthorizationCodes,
  type Budget,
  BudgetLedger,
  DeliveryQueue,
  FederationPolicies,
  Generations,
  IdempotencyRecords,
  KeyRateCounts,
  RequestCounts,
  Workspaces,
  createAccount,
  newApiKey,
  runBackgroundOnce,
  actingAs
} from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { readableStream } from "@gatewarden/conformance/internal/delivery/readableStream"
import { eventAt, newDestination, recordFor } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { vault } from "@gatewarden/conformance/internal/erasure/erasing"
import { byHand, type HandClock } from "@gatewarden/conformance/internal/HandClock"
import { alertChannelIn, federationPolicyIn } from "@gatewarden/conformance/internal/stores/accountFixture"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"

const dayMillis = 86_400_000
const usd = 1_000_000_000n

/** What was used stays: events, their ids, what is known of them, and one row of sums for each key, user and workspace that spent. */
const usageTables = [
  ...["gatewarden_usage_event", "gatewarden_usage_id", "gatewarden_usage_day"],
  ...["gatewarden_usage_classifier", "gatewarden_spent"]
]

/** Shorter than by default, so that a year is long. */
const keep = {
  deleted_keys: 30 * 86_400,
  key_secrets: 30 * 86_400,
  budget_warnings: 40 * 86_400,
  ranking_days: 60 * 86_400,
  generation_feedback: 30 * 86_400,
  generation_contents: 30 * 86_400,
  changes: 30 * 86_400
}

interface Tenant {
  readonly account_id: string
  readonly workspace_id: string
}

const unlimited = { requests_per_minute: null, tokens_per_minute: 1_000_000, parallel_requests: null }

/** A day of a tenant: a workspace with a key that is used in every way that leaves rows, and not cleaned up by anybody. */
const live = Effect.fnUntraced(function* ({ account_id, workspace_id }: Tenant, now: number) {
  const at = new Date(now).toISOString()
  const { record } = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "of a day", user_id: "ann" })
  const keys = yield* ApiKeys
  assert.isTrue(yield* keys.insert(record))
  const rotation = {
    secret_hash: randomUUID().replaceAll("-", "").repeat(2),
    label: "new",
    now: at,
    overlap_millis: 0
  }
  assert.isTrue(Option.isSome(yield* keys.rotate(account_id, record.hash, rotation)))
  const ledger = yield* BudgetLedger
  const budgets: readonly Budget[] = (["daily", "monthly", "lifetime"] as const).map((interval) => ({
    scope: "key_limit",
    entity: record.hash,
    guardrail_id: null,
    interval,
    limit_nanos: 2n * usd,
    include_byok: false
  }))
  const hold = (admission_id: string) =>
    ledger.hold(account_id, {
      admission_id,
      workspace_id,
      key_hash: record.hash,
      user_id: "ann",
      budgets,
      costs: [{ nanos: usd, byok: false }],
      hold_seconds: 60
    })
  const [settled, abandoned] = [randomUUID(), randomUUID()]
  yield* hold(settled)
  yield* hold(abandoned)
  yield* hold(randomUUID())
  yield* ledger.settle(
    account_id,
    spendingEvent({
      id: settled,
      created_at: at,
      workspace_id,
      api_key_hash: record.hash,
      user_id: "ann",
      cost_nanos: 2n * usd
    }),
    { destinations: [], sealed_bodies: null, sealed_content: new Uint8Array([1]) }
  )
  assert.isTrue(
    yield* (yield* Generations).keepFeedback(account_id, settled, { category: "other", comment: null, given_at: at })
  )
  yield* (yield* KeyRateCounts).admit(account_id, {
    admission_id: abandoned,
    key_hash: record.hash,
    limits: unlimited,
    tokens: 1,
    hold_seconds: 60
  })
  yield* (yield* RequestCounts).consume([
    { bucket: `key ${record.hash}`, limit: 5, window: { kind: "sliding", millis: 60_000 } }
  ])
  const channels = yield* AlertChannels
  const channel = alertChannelIn(workspace_id)
  assert.strictEqual(yield* channels.insert(account_id, channel, new Uint8Array([1])), "inserted")
  const refused = yield* (yield* BudgetLedger).hold(account_id, {
    admission_id: randomUUID(),
    workspace_id,
    key_hash: record.hash,
    user_id: null,
    budgets: [
      {
        scope: "key_limit",
        entity: record.hash,
        guardrail_id: null,
        interval: "daily",
        limit_nanos: 1n,
        include_byok: false
      }
    ],
    costs: [{ nanos: 2n, byok: false }],
    hold_seconds: 60
  })
  assert.isFalse(refused.held)
  yield* channels.remove(account_id, channel.id)
  const federation = yield* FederationPolicies
  const policy = federationPolicyIn(workspace_id)
  assert.strictEqual(yield* federation.insert(account_id, policy), "inserted")
  const ends_at = new Date(now + 900_000).toISOString()
  const given = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "of a token", expires_at: ends_at })
  const use = { policy_id: policy.id, use_id: given.record.hash, ends_at }
  assert.strictEqual(yield* federation.issue(given.record, use), "issued")
  yield* federation.remove(account_id, policy.id)
  const scope = { account_id, key_hash: record.hash, request_hash: "r" }
  yield* (yield* IdempotencyRecords).claim(scope, randomUUID(), 1_000)
  yield* (yield* AuthorizationCodes).insert(
    {
      code_hash: record.hash,
      account_id,
      workspace_id,
      callback_url: "https://app.example.com/",
      callback_origin: "https://app.example.com",
      challenge_hash: record.hash,
      code_challenge_method: "S256",
      key_name: "app",
      limit: null,
      limit_reset: null,
      key_expires_at: null,
      user_id: null,
      spawn_agent: null,
      spawn_cloud: null,
      created_at: at
    },
    600_000
  )
  yield* deliver({ account_id, workspace_id }, now)
  return record.hash
})

/** One event becomes a dead letter, the other one waits for a platform that does not accept it. */
const deliver = Effect.fnUntraced(function* (tenant: Tenant, now: number) {
  const destination_id = yield* newDestination(tenant)
  const events = [randomUUID(), randomUUID()].map((id) => eventAt(id, tenant.workspace_id, now))
  yield* recordFor(tenant, events, [destination_id], () => new Uint8Array([1, 2, 3]))
  yield* readableStream
  const queue = yield* DeliveryQueue
  const turns = yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 60)
  const turn = turns.find((one) => one.destination_id === destination_id)
  if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
  const batch = Option.getOrThrow(yield* queue.read(turn, null, { events: 1, bytes: 1_000 }))
  const attempt = {
    ...{ events: 2, accepted: 0, refused: 1, rejected_spans: 0, duration_ms: 5, status: 500, message: "no" },
    outcome: "failed" as const
  }
  const dead = [{ event_id: events[0]?.id ?? "", status: 400, message: "no", sealed_bodies: new Uint8Array([4]) }]
  const passed = { position: batch.position ?? "", accepted: 0, dead, answer: undefined, attempt: undefined }
  assert.isTrue(yield* queue.acknowledge(turn, passed, 60))
  assert.isTrue(yield* queue.release(turn, { kind: "failed", attempt, due_in_seconds: 1_000_000, is_open: true }))
})

/** What a dispatcher does for destinations that were deleted with their workspaces. */
const passOver = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  for (const turn of yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 60)) {
    const batch = Option.getOrThrow(yield* queue.read(turn, null, { events: 100, bytes: 1_000 }))
    assert.isFalse(batch.receives)
    if (batch.position !== null) {
      const passed = { position: batch.position, accepted: 0, dead: [], answer: undefined, attempt: undefined }
      assert.isTrue(yield* queue.acknowledge(turn, passed, 60))
    }
    yield* queue.release(turn, { kind: "released" })
  }
})

/** The time of a change is that of whoever makes it. */
const acting = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  actingAs({ actor: { type: "operator", id: null }, operation: "live" }, work)

describe("retention", () => {
  it("bounds every table but usage over a year", { timeout: 1_800_000 }, async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const clock: HandClock = { now: Date.parse("2025-01-01T12:00:00.000Z") }
    const rows = async () => {
      const tables = await execute(
        url,
        `select relname as name, (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || relname, false, true, '')))[1]::text::int as n
         from pg_class where relkind in ('r', 'p') and not relispartition and relname like 'gatewarden%' order by 1`
      )
      return new Map(tables.map(({ name, n }) => [String(name), Number(n)]))
    }
    const year = Effect.gen(function* () {
      const made = yield* acting(createAccount("tenant"))
      if (made === undefined) return yield* Effect.die(new Error("account exists"))
      const account_id = made.account.id
      const keys = yield* ApiKeys
      const workspaces = yield* Workspaces
      let halfway = new Map<string, number>()
      const openHolds: number[] = []
      for (let day = 1; day <= 365; day++) {
        const at = new Date(clock.now).toISOString()
        const workspace_id = randomUUID()
        const isMade = yield* acting(
          workspaces.insert(account_id, {
            ...made.workspace,
            id: workspace_id,
            default_guardrail_id: randomUUID(),
            slug: `day-${day}`,
            name: `day ${day}`,
            created_at: at
          })
        )
        assert.isTrue(isMade)
        const hash = yield* acting(live({ account_id, workspace_id }, clock.now))
        yield* Effect.promise(() =>
          execute(
            url,
            `with batch as (insert into gatewarden_usage_batch values (gen_random_uuid(), '${at}') returning id)
             select id from batch`,
            // These go by the clock of the database.
            `update gatewarden_deleted_key set deleted_at = '${at}' where deleted_at > '${at}'`
          )
        )
        clock.now += 120_000
        yield* runBackgroundOnce(keep)
        const [open] = yield* Effect.promise(() =>
          execute(
            url,
            `select (select count(*) from gatewarden_hold where state = 'open')::int
              + (select count(*) from gatewarden_budget_window where held_nanos <> 0)::int as n`
          )
        )
        openHolds.push(Number(open?.n))
        yield* acting(keys.remove(account_id, hash, at))
        yield* acting(workspaces.remove(account_id, workspace_id, { force: true, now: at }))
        yield* passOver
        clock.now += dayMillis - 120_000
        yield* runBackgroundOnce(keep)
        if (day === 180) halfway = yield* Effect.promise(rows)
      }
      return { halfway, openHolds, end: yield* Effect.promise(rows) }
    })
    const { halfway, openHolds, end } = await Effect.runPromise(
      year.pipe(
        Effect.provide(layerPostgresStore({ url: Redacted.make(url), notifications: false })),
        Effect.provide(vault()),
        byHand(clock),
        Effect.scoped
      ) as Effect.Effect<Effect.Success<typeof year>, unknown>
    )
    // Nobody asked for what was never settled.
    assert.deepEqual(
      openHolds.filter((count) => count > 0),
      []
    )
    const grown = [...end].filter(([table, count]) => count > (halfway.get(table) ?? 0) + 8)
    assert.sameMembers(
      grown.map(([table]) => table),
      usageTables.filter((table) => table !== "gatewarden_usage_classifier")
    )
    // The days of every month that is over are one row of each spender. Each day brings a key, a workspace, and a user in that workspace.
    assert.isAtMost(end.get("gatewarden_spent") ?? 0, 3 * 365 + 70 * 4)
    assert.isAbove(end.get("gatewarden_ranking_day") ?? 0, 50)
  })
})
