import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerLiveAdmissions, LiveAdmissions } from "../../core/src/ledger/AdmittedSizes.ts"

const admission = (expires_at: number) => ({
  account_id: "account",
  workspace_id: "workspace",
  expires_at,
  credentials: new Map([["credential", { provider: "openai" }]])
})

describe("LiveAdmissions", () => {
  it.effect("knows an admission for as long as it lasts", () =>
    Effect.gen(function* () {
      const live = yield* LiveAdmissions
      live.open("a", admission(1000), 0)
      assert.deepEqual(live.find("a", 999), admission(1000))
      live.renew("a", 2000)
      assert.deepEqual(live.find("a", 1999), admission(2000))
      assert.isUndefined(live.find("a", 2000))
      live.renew("a", 3000)
      live.renew("b", 3000)
      assert.isUndefined(live.find("a", 0))
      assert.isUndefined(live.find("b", 0))
      live.open("c", admission(1000), 0)
      live.close("c")
      assert.isUndefined(live.find("c", 0))
      assert.strictEqual(live.size(), 0)
    }).pipe(Effect.provide(layerLiveAdmissions))
  )

  it.effect("holds no more entries than are live, renewed ones too", () =>
    Effect.gen(function* () {
      const live = yield* LiveAdmissions
      for (let now = 0; now < 50_000; now++) {
        live.open(`${now}`, admission(now + 100), now)
        if (now % 10 === 0) live.renew(`${now}`, now + 200)
        if (now % 10 === 1) live.close(`${now}`)
        assert.isAtMost(live.size(), 110)
        assert.isDefined(live.find(`${now - (now % 10)}`, now))
      }
      assert.isDefined(live.find("49900", 49_999))
      assert.isAtLeast(live.size(), 99)
    }).pipe(Effect.provide(layerLiveAdmissions))
  )

  it.effect("drops a thousand a call of those that expired while nobody called", () =>
    Effect.gen(function* () {
      const live = yield* LiveAdmissions
      for (let index = 0; index < 5_000; index++) live.open(`${index}`, admission(1_000), 0)
      for (let call = 1; call <= 5; call++) {
        live.open(`later ${call}`, admission(9_000), 8_000)
        assert.strictEqual(live.size(), 5_000 - 999 * call)
      }
      live.open("last", admission(9_000), 8_000)
      assert.strictEqual(live.size(), 6)
    }).pipe(Effect.provide(layerLiveAdmissions))
  )
})
