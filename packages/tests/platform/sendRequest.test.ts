import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sendRequest } from "../../core/src/platform/sendRequest.ts"

describe("sendRequest", () => {
  it.live("ends in time, also where fetch never answers and does not heed its signal", () =>
    Effect.gen(function* () {
      const request = { url: "https://a.example.com", method: "GET", timeoutMillis: 20, maxBytes: 1 } as const
      const failure = yield* Effect.flip(sendRequest(() => new Promise(() => {}), request))
      assert.strictEqual(failure._tag, "RequestFailed")
    })
  )
})
