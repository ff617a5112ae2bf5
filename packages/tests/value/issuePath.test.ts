import { assert, describe, it } from "@effect/vitest"
import { issuePath } from "../../core/src/value/issues.ts"

describe("issuePath", () => {
  it("shows names and numbers", () => {
    for (const name of ["content_filters", "secretAccessKey", "input_cache_write_1h", "p50", "X-Api-Key", "__proto__"])
      assert.strictEqual(issuePath([name]), name)
    assert.strictEqual(issuePath(["content_filters", 1, "pattern"]), "content_filters.1.pattern")
    assert.strictEqual(issuePath([]), "")
  })

  it("shows no key that may be a secret", () => {
    for (const key of [
      "sk-0123456789abcdefghijklmnopqrstuvwxyz",
      "gwm-v1-VqkZr0mT5yXb2LwNcHs8DfJuPa3GeQi7KoRt1BvMzEx4YhWd0R",
      "eyJhbGciOiJIUzI1NiJ9",
      "AKIAIOSFODNN7EXAMPLE",
      "3f0a7c52-6f7e-4d57-8d0f-9b1f6f2f4c10",
      "abcdefghijklmnopqrstu",
      "a b",
      "é",
      "a.b",
      ""
    ])
      assert.strictEqual(issuePath(["events", 0, key]), "events.0.*", key)
  })
})
