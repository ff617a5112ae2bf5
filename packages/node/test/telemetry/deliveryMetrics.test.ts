import { assert, describe, it } from "@effect/vitest"
import { makeMetrics } from "../../src/metrics/makeMetrics.ts"

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
    const type = { type: "webhook", waiting: 3, failing: 2, open: 1 }
    metrics.deliveries({ waiting_events: 7, oldest_seconds: 12, destinations: [type] })
    const text = metrics.text()
    assert.deepEqual(Object.values(valuesIn(text, "gatewarden_delivery_waiting_events")), [7])
    assert.deepEqual(Object.values(valuesIn(text, "gatewarden_delivery_oldest_seconds")), [12])
    const ofWebhooks = Object.entries(valuesIn(text, "gatewarden_delivery_destinations")).filter(([labels]) =>
      labels.includes('type="webhook"')
    )
    for (const state of ["waiting", "failing", "open"] as const)
      assert.strictEqual(ofWebhooks.find(([labels]) => labels.includes(`state="${state}"`))?.[1], type[state])
    metrics.deliveries({ waiting_events: 0, oldest_seconds: null, destinations: [] })
    const later = Object.values(valuesIn(metrics.text(), "gatewarden_delivery_destinations"))
    assert.lengthOf(later, 17 * 3)
    assert.isTrue(later.every((value) => value === 0))
    metrics.close()
  })
})
