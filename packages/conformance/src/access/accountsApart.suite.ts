/** Holds every port to the account and workspace that it is asked for: what is another's does not exist there, and stays as it is. */
import { Files, IdempotencyRecords, Workspaces, type StorePorts } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Stream, type Layer } from "effect"
import type { HandClock } from "../HandClock.ts"
import {
  now,
  bytes,
  user_id,
  ports,
  prepare,
  holdOf,
  eventOf,
  contentFacts,
  furnish
} from "../stores/accountFixture.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { readBy, nothing } from "./readsOfStrangers.ts"
import { changedBy, refused } from "./changesByStrangers.ts"

export const accountsApartSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`accounts apart: ${name}`, () => {
    const clock: HandClock = { now }
    const run = storeUnderTest(makeStore, clock)
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) => it(title, () => run(body))

    test(
      "shows nobody else what is an account's, and lets nobody else change it",
      Effect.gen(function* () {
        const own = yield* furnish(yield* prepare)
        const stranger = yield* prepare
        const before = yield* readBy(own.account_id, own)
        for (const [what, read] of Object.entries(before))
          assert.notDeepEqual(read, nothing[what as keyof typeof nothing], `${what} is there`)
        assert.deepEqual(yield* readBy(stranger.account_id, own), nothing)
        assert.deepEqual(yield* changedBy(stranger, own), refused)
        assert.deepEqual(yield* readBy(own.account_id, own), before)
        // A user of the same name is another one.
        yield* furnish(stranger)
        assert.deepEqual(yield* readBy(own.account_id, own), before)
        assert.strictEqual(
          yield* (yield* Files).publish(own.account_id, own.arriving, contentFacts, 1_000_000),
          "published"
        )
        // What was held for a minute is held no longer for what others asked.
        clock.now += 60_000
        const { states, use } = yield* readBy(own.account_id, own)
        assert.strictEqual(use.parallel, 0)
        assert.deepEqual(states, [
          [20n, 0n],
          [20n, 0n],
          [20n, 0n]
        ])
      })
    )

    test(
      "shows in a workspace nothing of another one of the account",
      Effect.gen(function* () {
        const own = yield* furnish(yield* prepare)
        const ids = { id: crypto.randomUUID(), default_guardrail_id: crypto.randomUUID() }
        const other = { ...own.workspace, ...ids, slug: "other" }
        yield* (yield* Workspaces).insert(own.account_id, other)
        const read = yield* readBy(own.account_id, { ...own, workspace_id: other.id })
        const ofWorkspace = [
          "keysOfWorkspace",
          "guardrails",
          "members",
          "budgets",
          "credentials",
          "sealed",
          "destinations",
          "alertChannels",
          "alerts",
          "federationPolicies",
          "file",
          "files",
          "preset",
          "version",
          "warnings"
        ] as const
        for (const what of ofWorkspace) assert.deepEqual(read[what], nothing[what], what)
      })
    )

    test(
      "charges nobody else, whatever ids an event names",
      Effect.gen(function* () {
        const { ledger, log } = yield* ports
        const own = yield* furnish(yield* prepare)
        const { account_id } = yield* prepare
        const before = yield* readBy(own.account_id, own)
        const asked = yield* ledger.hold(account_id, holdOf(crypto.randomUUID(), own))
        assert.deepEqual(
          asked.states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
          nothing.states
        )
        assert.deepEqual(yield* log.record(account_id, Stream.make([eventOf(own.event, own)])), {
          accepted: 1,
          duplicates: 0
        })
        assert.deepEqual(yield* ledger.settle(account_id, { ...eventOf(own.admission, own), user_id: "bob" }), {
          charges: [],
          overdraft_nanos: 0n
        })
        assert.deepEqual(yield* readBy(own.account_id, own), before)
        const theirs = yield* readBy(account_id, own)
        assert.deepEqual(new Set(theirs.history.map((use) => use.user_id)), new Set([user_id, "bob"]))
        const { charges } = yield* ledger.settle(own.account_id, eventOf(own.admission, own))
        assert.deepEqual(
          charges.map(({ nanos }) => nanos),
          [10n, 10n, 10n]
        )
        assert.deepEqual(yield* readBy(account_id, own), theirs)
      })
    )

    test(
      "keeps claims and answers of equal requests apart",
      Effect.gen(function* () {
        const records = yield* IdempotencyRecords
        const scopes = yield* Effect.forEach([0, 1], () =>
          Effect.map(prepare, ({ account_id }) => ({
            account_id,
            key_hash: "a".repeat(64),
            request_hash: "b".repeat(64)
          }))
        )
        const [own, other] = [scopes[0] ?? assert.fail(), scopes[1] ?? assert.fail()]
        const token = crypto.randomUUID()
        const claim = (scope: typeof own, millis: number) =>
          Effect.suspend(() => {
            clock.now = now + millis
            return Effect.map(records.claim(scope, token, 1000), ({ kind }) => kind)
          })
        assert.strictEqual(yield* claim(own, 0), "claimed")
        assert.strictEqual(yield* claim(other, 0), "claimed")
        yield* records.renew(other, token, 5000)
        assert.strictEqual(yield* claim(other, 1000), "in_flight")
        assert.strictEqual(yield* claim(own, 1000), "claimed")
        const answer = { kept: { body_hash: "c".repeat(64), status: 200, sealed: bytes } }
        assert.isTrue(Option.isSome(yield* records.complete(own, token, Effect.succeed(answer))))
        assert.strictEqual(yield* claim(other, 1000), "in_flight")
        yield* records.release(other, token)
        assert.strictEqual(yield* claim(own, 3000), "answered")
        assert.strictEqual(yield* claim(other, 3000), "claimed")
        yield* records.release(own, token)
        assert.strictEqual(yield* claim(other, 3000), "in_flight")
      })
    )
  })
}
