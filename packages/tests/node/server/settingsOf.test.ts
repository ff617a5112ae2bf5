import { assert, describe, it } from "@effect/vitest"
import { readConfiguration } from "../../../node/src/config/readConfiguration.ts"
import { settingsOf } from "../../../node/src/server/settingsOf.ts"

describe("settingsOf", () => {
  const docUrlWith = (set: Readonly<Record<string, string>>) => {
    const read = readConfiguration({ environment: { DATABASE_URL: "memory:", ...set }, readFile: () => "" })
    return "errors" in read ? assert.fail(read.errors.join()) : settingsOf(read.configuration.values).docUrl
  }

  it("leads to pages on this machine where clients of this machine alone reach the server", () => {
    assert.strictEqual(docUrlWith({ PORT: "9000" }), "http://127.0.0.1:9000/api/v1/errors/")
    assert.strictEqual(docUrlWith({ HOST: "::1", GATEWARDEN_BASE_PATH: "/" }), "http://[::1]:8787/errors/")
    assert.isUndefined(docUrlWith({ PORT: "0" }))
    assert.isUndefined(docUrlWith({ HOST: "0.0.0.0" }))
    assert.isUndefined(docUrlWith({ GATEWARDEN_PUBLIC_URL: "https://gate.example/api/v1" }))
    assert.strictEqual(
      docUrlWith({ GATEWARDEN_DOC_URL: "https://docs.example/errors#" }),
      "https://docs.example/errors#"
    )
  })
})
