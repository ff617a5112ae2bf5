import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerLiveAdmissions, LiveAdmissions } from "../../src/enforcement/LiveAdmissions.ts"

const admission = (expires_at: number) => ({
  account_id: "account",
  workspace_id: "workspace",
  expires_at,
  credentials: new Map([["credential", "openai"]])
})

describe("LiveAdmissions", () => {
  it.effect("knows an admission for as long as it lasts", () =>
    Effect.gen(function* () {
      const live = yield* LiveAdmissions
      live.open("a", admission(1000))
      assert.deepEqual(live.find("a", 999), admission(1000))
      assert.isUndefined(live.find("a", 1000))
      live.renew("a", 2000)
      assert.deepEqual(live.find("a", 1999), admission(2000))
      live.renew("b", 2000)
      assert.isUndefined(live.find("b", 0))
      live.close("a")
      assert.isUndefined(live.find("a", 0))
    }).pipe(Effect.provide(layerLiveAdmissions))
  )

  it.effect("forgets what has expired once many have gathered, and nothing that may still last", () =>
    Effect.gen(function* () {
      const live = yield* LiveAdmissions
      const hour = 3_600_000
      for (let index = 1; index < 10_000; index++) live.open(`${index}`, admission(index))
      assert.isDefined(live.find("1", 0))
      // The longest hold is an hour: this one was opened at 5,000 or later.
      live.open("last", admission(hour + 5_000))
      assert.isUndefined(live.find("5000", 0))
      assert.isDefined(live.find("5001", 0))
      assert.isDefined(live.find("last", 0))
    }).pipe(Effect.provide(layerLiveAdmissions))
  )
})
