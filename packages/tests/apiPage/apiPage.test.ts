import { assert, describe, it } from "@effect/vitest"
import type { AppRequest } from "@gatewarden/core/internal"
import { Effect, Stream } from "effect"
import { apiPage } from "../../node/src/apiPage/apiPage.ts"

const get = (url: string): AppRequest => ({
  method: "GET",
  url,
  headers: { "accept-encoding": "gzip" },
  readBytes: () => Effect.succeed(new Uint8Array()),
  stream: () => Stream.empty,
  whole: () => assert.fail("asked for the whole request")
})

describe("apiPage", () => {
  it.effect("reads and compresses a file once, however many ask for it before it is there", () =>
    Effect.gen(function* () {
      const page = apiPage("/api/v1")
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => page(get("/docs/ui.js"))),
        { concurrency: "unbounded" }
      )
      const [first] = answers
      assert.strictEqual(first?.status, 200)
      for (const answer of answers) {
        const [bytes] = Array.isArray(answer?.body) ? answer.body : []
        assert.isDefined(bytes)
        assert.strictEqual(bytes, Array.isArray(first?.body) ? first.body[0] : undefined)
      }
    })
  )

  it.effect("knows nothing of other names, however often they are asked for", () =>
    Effect.gen(function* () {
      const page = apiPage("/api/v1")
      for (let time = 0; time < 2; time++) assert.isUndefined(yield* page(get("/docs/nothing.js")))
    })
  )
})
