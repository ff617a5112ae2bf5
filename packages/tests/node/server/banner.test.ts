import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { banner } from "../../../node/src/server/banner.ts"

const facts = {
  url: "http://127.0.0.1:8787/api/v1",
  pageUrl: "http://127.0.0.1:8787/docs",
  hasSample: true,
  generatedKey: Redacted.make("gwm-v1-the-key"),
  keyFile: ".gatewarden/management-key"
}

describe("banner", () => {
  it("names address, page, key, and a line that exports it", () => {
    const text = banner(facts)
    for (const line of [
      /^ +API +http:\/\/127\.0\.0\.1:8787\/api\/v1$/m,
      /^ +API page +http:\/\/127\.0\.0\.1:8787\/docs$/m,
      /^ +Models +the sample catalog, with prices of November 2025$/m,
      /^ +Key +gwm-v1-the-key\n +a management key; also in \.gatewarden\/management-key$/m,
      /^ +export KEY=gwm-v1-the-key$/m
    ])
      assert.match(text, line)
  })

  it("reads the key from its file on later starts", () => {
    const text = banner({ ...facts, generatedKey: undefined, keyFile: "/data of mine/it's/management-key" })
    assert.include(text, "export KEY=$(cat '/data of mine/it'\\''s/management-key')")
    assert.notMatch(text, /^ +Key/m)
  })

  it("leaves out what there is not", () => {
    const text = banner({ ...facts, hasSample: false, pageUrl: undefined, generatedKey: undefined, keyFile: undefined })
    assert.notMatch(text, /API page|Models|export|KEY/)
    assert.include(banner({ ...facts, keyFile: undefined }), "shown this once")
  })
})
