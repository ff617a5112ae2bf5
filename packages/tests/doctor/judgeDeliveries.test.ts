/** What `gatewarden doctor` says of deliveries. Rule: observability#retries. */
import { assert, describe, it } from "@effect/vitest"
import { judgeDeliveries } from "../../node/src/doctor/checkStore.ts"

describe("judgeDeliveries", () => {
  it("names destinations that accept nothing, and events that nobody delivers", () => {
    const type = { type: "webhook", waiting: 2, failing: 0, open: 0, refusing: 0 }
    const health = { waiting_events: 7, oldest_seconds: 20, destinations: [type] }
    assert.deepInclude(judgeDeliveries(health), { state: "ok" })
    const open = judgeDeliveries({ ...health, destinations: [{ ...type, failing: 1, open: 1 }] })
    assert.deepInclude(open, {
      state: "warn",
      detail: "destinations do not accept what is delivered: 1 of type webhook"
    })
    const refusing = judgeDeliveries({ ...health, destinations: [{ ...type, refusing: 1 }] })
    assert.deepInclude(refusing, {
      state: "warn",
      detail: "platforms refuse everything that is delivered: 1 of type webhook"
    })
    const late = { ...health, oldest_seconds: 1_200 }
    assert.deepInclude(judgeDeliveries(late), {
      state: "warn",
      detail: "events have waited for their destinations for 20 minutes"
    })
    assert.deepInclude(judgeDeliveries({ ...late, destinations: [{ ...type, failing: 1 }] }), { state: "ok" })
    assert.deepInclude(judgeDeliveries({ waiting_events: 0, oldest_seconds: null, destinations: [] }), { state: "ok" })
  })
})
