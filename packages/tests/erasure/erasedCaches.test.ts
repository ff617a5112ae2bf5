/** What a process remembers of an account is forgotten when it has erased a person itself: with the commit, however late that comes. */
import { DecisionCache, layerInstance, BackgroundJobs, ByokCredentials } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { newTenant, type Tenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { askFor, eraseAll, erasureBatch, keyringOf } from "@gatewarden/conformance/internal/erasure/erasing"
import { bytes, credentialIn } from "@gatewarden/conformance/internal/stores/accountFixture"
import { everyStore, type StoreKind, stores } from "@gatewarden/testkit/stores/stores"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"

const name = "anna"

/** Who may use the credential, as decisions see it. */
const allowed = ({ account_id, workspace_id }: Tenant) =>
  Effect.gen(function* () {
    const credentials = yield* ByokCredentials
    const stored = Effect.map(
      credentials.list(account_id, { workspace_id }, { limit: 9, offset: 0 }),
      (page) => page.data
    )
    const found = yield* (yield* DecisionCache).credentials.get(workspace_id, stored, account_id)
    return found.map(({ allowed_user_ids }) => allowed_user_ids)
  })

const remembered = Effect.gen(function* () {
  const tenant = yield* newTenant
  const credential = { ...credentialIn(tenant.workspace_id), allowed_user_ids: [name] }
  yield* (yield* ByokCredentials).insert(tenant.account_id, credential, bytes)
  assert.deepEqual(yield* allowed(tenant), [[name]])
  const { pseudonym } = yield* askFor(tenant, { user_id: name })
  return { tenant, pseudonym }
})

const inCommit = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const jobs = yield* BackgroundJobs
    const { turn } = yield* jobs.claim(["erasures"], 60)
    if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
    yield* jobs.commit(turn, () => Effect.map(work, (value) => ({ value })))
    yield* jobs.finish(turn, { failed: false, due_in_seconds: 0 })
  })

const storesUnderTest = (kinds: readonly StoreKind[], title: string, test: () => ReturnType<typeof shown>) => {
  for (const kind of kinds)
    describe(`what a process remembers that erases: ${kind}`, () => {
      const run = storeUnderTest(
        () => layerInstance(stores[kind], keyringOf(7)),
        Date.parse("2026-03-04T12:00:00.000Z")
      )
      it(title, () => run(test()))
    })
}

const shown = () =>
  Effect.gen(function* () {
    const { tenant, pseudonym } = yield* remembered
    yield* inCommit(eraseAll)
    assert.deepEqual(yield* allowed(tenant), [[pseudonym]])
  })

storesUnderTest(
  everyStore.map(([kind]) => kind),
  "has the name no more",
  shown
)

/** Other stores answer nobody else while a transaction is open. */
storesUnderTest(["PostgreSQL", "pg.Pool"], "is not what was read before the commit", () =>
  Effect.gen(function* () {
    const { tenant, pseudonym } = yield* remembered
    const [changed, read] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const erasing = yield* Effect.forkChild(
      inCommit(
        Effect.gen(function* () {
          for (let batch = 0; batch < 2; batch++) yield* erasureBatch
          yield* Deferred.succeed(changed, undefined)
          yield* Deferred.await(read)
        })
      )
    )
    yield* Deferred.await(changed)
    assert.deepEqual(yield* allowed(tenant), [[name]])
    yield* Deferred.succeed(read, undefined)
    yield* Fiber.join(erasing)
    assert.deepEqual(yield* allowed(tenant), [[pseudonym]])
  })
)
