/** The gauges of deliveries. Rule: observability#retries. */
import { assert, describe, it } from "@effect/vitest"
import { DeliveryMeter } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { readConfiguration } from "../../node/src/config/readConfiguration.ts"
import { watchInstance } from "../../node/src/metrics/watchInstance.ts"
import { makeMetrics } from "../../node/src/metrics/makeMetrics.ts"

const valuesIn = (text: string, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => [line.slice(name.length, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))])
  )

describe("metrics of deliveries", () => {
  it("tell by type what waits, and that nothing waits any more", () => {
    const metrics = makeMetrics()
    const type = { type: "webhook", waiting: 3, failing: 2, open: 1, refusing: 1 }
    metrics.deliveries({ waiting_events: 7, oldest_seconds: 12, destinations: [type] })
    const text = metrics.text()
    assert.deepEqual(Object.values(valuesIn(text, "gatewarden_delivery_waiting_events")), [7])
    assert.deepEqual(Object.values(valuesIn(text, "gatewarden_delivery_oldest_seconds")), [12])
    const ofWebhooks = Object.entries(valuesIn(text, "gatewarden_delivery_destinations")).filter(([labels]) =>
      labels.includes('type="webhook"')
    )
    for (const state of ["waiting", "failing", "open", "refusing"] as const)
      assert.strictEqual(ofWebhooks.find(([labels]) => labels.includes(`state="${state}"`))?.[1], type[state])
    metrics.deliveries({ waiting_events: 0, oldest_seconds: null, destinations: [] })
    const later = Object.values(valuesIn(metrics.text(), "gatewarden_delivery_destinations"))
    assert.lengthOf(later, 17 * 4)
    assert.isTrue(later.every((value) => value === 0))
    metrics.close()
  })

  it("count batches and events by type and outcome", () => {
    const metrics = makeMetrics()
    const attempt = {
      events: 5,
      accepted: 3,
      refused: 2,
      rejected_spans: 0,
      duration_ms: 1,
      status: 200,
      message: null
    }
    metrics.delivered("webhook", { ...attempt, outcome: "partly" })
    metrics.delivered("webhook", { ...attempt, outcome: "partly" })
    metrics.delivered("s3", { ...attempt, outcome: "failed", accepted: 0, refused: 0 })
    const text = metrics.text()
    const counted = (name: string, type: string, outcome: string) =>
      Object.entries(valuesIn(text, name)).find(
        ([labels]) => labels.includes(`type="${type}"`) && labels.includes(`outcome="${outcome}"`)
      )?.[1]
    assert.strictEqual(counted("gatewarden_delivery_attempts_total", "webhook", "partly"), 2)
    assert.strictEqual(counted("gatewarden_delivery_attempts_total", "s3", "failed"), 1)
    assert.strictEqual(counted("gatewarden_delivery_events_total", "webhook", "accepted"), 6)
    assert.strictEqual(counted("gatewarden_delivery_events_total", "webhook", "refused"), 4)
    assert.isUndefined(counted("gatewarden_delivery_events_total", "s3", "accepted"))
    metrics.close()
  })

  it.effect("are told of by the dispatcher of a server that measures", () =>
    Effect.gen(function* () {
      const read = readConfiguration({ environment: { GATEWARDEN_METRICS: "1" }, readFile: () => "" })
      if ("errors" in read) return assert.fail(read.errors.join())
      const { services, metrics } = yield* watchInstance(read.configuration)
      const tell = yield* Effect.provideContext(
        Effect.gen(function* () {
          return yield* DeliveryMeter
        }),
        services
      )
      assert.strictEqual(tell, metrics?.delivered)
    })
  )
})
