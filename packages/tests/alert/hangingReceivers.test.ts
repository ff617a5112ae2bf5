/** How long an alert waits for receivers of another account that never answer, in the time of a clock that is turned. Rule: alerts#attempts. */
import type { AlertChannel } from "@gatewarden/contract"
import {
  type Fetch,
  keepSendingAlerts,
  layerInstance,
  layerMemory,
  OutgoingFetch,
  AlertChannels
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deny, iso } from "@gatewarden/conformance/internal/alert/alertsUnderTest"
import { newTenant, type Tenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { settled, withoutThreads } from "@gatewarden/testkit/delivery/withoutThreads"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"

const channels = 20
const alertsOfEach = 20
const stepMillis = 100

const newWebhook = Effect.fnUntraced(function* (tenant: Tenant, url: string) {
  const config = { url, signing_secret: `whsec_${"c2Vj".repeat(8)}` }
  const channel = {
    id: crypto.randomUUID(),
    workspace_id: tenant.workspace_id,
    name: "ops",
    type: "webhook",
    config,
    events: ["budget.denied"],
    quiet_time_seconds: 0,
    enabled: true,
    created_at: iso(0),
    updated_at: null
  } as AlertChannel
  // As the vault of `withoutThreads` opens it.
  const sealed = new TextEncoder().encode(JSON.stringify({ config }))
  assert.strictEqual(yield* (yield* AlertChannels).insert(tenant.account_id, channel, sealed), "inserted")
})

describe("receivers that never answer", () => {
  it.effect(
    `${channels * alertsOfEach} alerts to those of one account hold up nobody else's for longer than a look`,
    () =>
      Effect.gen(function* () {
        const hanging = yield* newTenant
        for (let count = 0; count < channels; count++) yield* newWebhook(hanging, "https://hanging.example.com/")
        for (let limit = 1; limit <= alertsOfEach; limit++) yield* deny(hanging, BigInt(limit))
        const quick = yield* newTenant
        yield* newWebhook(quick, "https://quick.example.com/")
        let arrived = 0
        let atOnce = 0
        let mostAtOnce = 0
        const fetch: Fetch = (url, { signal }) => {
          if (url.includes("quick")) {
            arrived++
            return Promise.resolve(new Response(null, { status: 204 }))
          }
          mostAtOnce = Math.max(mostAtOnce, ++atOnce)
          return new Promise<Response>((_, reject) =>
            signal?.addEventListener("abort", () => reject(new Error("aborted")))
          ).finally(() => atOnce--)
        }
        yield* Effect.forkScoped(Effect.provideService(keepSendingAlerts, OutgoingFetch, fetch))
        for (let sent = 0; sent < 4; sent++) {
          for (let step = 0; step < 70; step++) {
            yield* settled
            yield* TestClock.adjust(stepMillis)
          }
          const begun = yield* Clock.currentTimeMillis
          yield* deny(quick, BigInt(sent + 1))
          const waited = Effect.map(Clock.currentTimeMillis, (now) => now - begun)
          for (;;) {
            yield* settled
            if (arrived > sent || (yield* waited) > 60_000) break
            yield* TestClock.adjust(stepMillis)
          }
          assert.isAtMost(yield* waited, 2_500)
        }
        assert.strictEqual(mostAtOnce, 20)
      }).pipe(withoutThreads, Effect.scoped, Effect.provide(Layer.fresh(layerInstance(layerMemory, testKeyring)))),
    120_000
  )
})
