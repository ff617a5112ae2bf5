/** How long a destination waits for others whose platforms accept slowly, in the time of a clock that is turned. Rule: observability#retries. */
import {
  keepDispatching,
  layerInstance,
  layerMemory,
  OutgoingFetch,
  type Fetch,
  Workspaces
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import {
  eventAt,
  newTenant,
  recordFor,
  sealedDestination,
  type Tenant
} from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import { settled, withoutThreads } from "@gatewarden/testkit/delivery/withoutThreads"

const slow = 200
/** Accounts alike: not more than may wait at once. */
const accountsAlike = 100
/** Destinations of one type in a workspace. */
const mostOfType = 5
const slowMillis = 9_000
/** More than a turn sends while its platform is slow. */
const backlog = 1_300
const stepMillis = 100

const webhook = (host: string) => ({ config: { url: `https://${host}/hook`, method: "POST" as const, headers: {} } })

/** When each event of a quick destination arrives, beside slow ones that one account made before, or one account each. */
const delaysBeside = (count: number, accounts: number, status: number) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const now = yield* Clock.currentTimeMillis
    const record = (tenant: Tenant, id: string, count: number, name: string) =>
      recordFor(
        tenant,
        Array.from({ length: count }, (_, index) => eventAt(`${name}-${index}`, tenant.workspace_id, now)),
        [id]
      )
    const quick = yield* newTenant
    const id = yield* sealedDestination(quick, webhook("quick.example.com"))
    let tenant = yield* newTenant
    const workspaces = yield* Workspaces
    const template = Option.getOrThrow(yield* workspaces.find(tenant.account_id, tenant.workspace_id))
    for (let index = 0; index < count; index++) {
      if (index > 0 && index < accounts) tenant = yield* newTenant
      else if (index > 0 && index % mostOfType === 0) {
        const ids = { id: crypto.randomUUID(), default_guardrail_id: crypto.randomUUID() }
        const workspace = { ...template, ...ids, is_observability_broadcast_enabled: true }
        assert.isTrue(yield* workspaces.insert(tenant.account_id, { ...workspace, slug: `slow-${index}` }))
        tenant = { ...tenant, workspace_id: workspace.id }
      }
      const destination = yield* sealedDestination(tenant, webhook("slow.example.com"))
      // The first ones have a backlog, so they go on.
      yield* record(tenant, destination, index < 20 ? backlog : 1, `slow-${index}`)
    }
    let arrived = 0
    let atOnce = 0
    let mostAtOnce = 0
    const fetch: Fetch = (url) => {
      if (url.includes("quick")) {
        arrived++
        return Promise.resolve(new Response("{}"))
      }
      mostAtOnce = Math.max(mostAtOnce, ++atOnce)
      const answer = Effect.map(Effect.sleep(slowMillis), () => new Response("{}", { status }))
      return Effect.runPromiseWith(context)(answer).finally(() => atOnce--)
    }
    yield* Effect.forkScoped(Effect.provideService(keepDispatching, OutgoingFetch, fetch))
    const delays: number[] = []
    for (let sent = 0; sent < 3; sent++) {
      // At any time of the turns of the slow ones.
      for (let step = 0; step < 55; step++) {
        yield* settled
        yield* TestClock.adjust(stepMillis)
      }
      const begun = yield* Clock.currentTimeMillis
      yield* record(quick, id, 1, `quick-${sent}`)
      for (;;) {
        yield* settled
        if (arrived > sent || (yield* Clock.currentTimeMillis) - begun > 60_000) break
        yield* TestClock.adjust(stepMillis)
      }
      delays.push((yield* Clock.currentTimeMillis) - begun)
    }
    return { delays, mostAtOnce }
  }).pipe(withoutThreads, Effect.scoped, Effect.provide(Layer.fresh(layerInstance(layerMemory, testKeyring))))

describe("destinations that accept slowly", () => {
  for (const [count, accounts] of [
    [slow, 1],
    [accountsAlike, accountsAlike]
  ] as const)
    for (const [answers, status] of [
      ["accept", 200],
      ["fail", 500]
    ] as const)
      it.effect(
        `${count} of ${accounts} accounts that ${answers} after ${slowMillis / 1_000} s hold up nobody for longer than a look`,
        () =>
          Effect.gen(function* () {
            const { delays, mostAtOnce } = yield* delaysBeside(count, accounts, status)
            assert.isAtMost(Math.max(...delays), 1_500, `${delays.join(", ")} ms`)
            // Alone, an account has as many slots as ever.
            assert.isAtLeast(mostAtOnce, 100)
          }),
        { tags: ["deep"], timeout: 120_000 }
      )
})
