import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maskConfig } from "../../src/observability/maskConfig.ts"
import { maskUrl } from "../../src/observability/maskUrl.ts"

describe("maskUrl", () => {
  const rows: readonly (readonly [sent: string, shown: string])[] = [
    ["https://hooks.example.com/in", "https://hooks.example.com/in"],
    ["https://user:hunter2@hooks.example.com/in", "https://...@hooks.example.com/in"],
    ["HTTPS://user@hooks.example.com:8443/in?x=1", "HTTPS://...@hooks.example.com:8443/in?x=1"],
    ["https://a@b@hooks.example.com", "https://...@hooks.example.com"],
    ["https://hooks.example.com/in?token=hunter2&page=2", "https://hooks.example.com/in?token=...&page=2"],
    ["https://hooks.example.com/in?API_KEY=abcdefghijklmnop#top", "https://hooks.example.com/in?API_KEY=...op#top"],
    ["https://hooks.example.com/in?z=0123456789abcdef0123456789abcdef", "https://hooks.example.com/in?z=01...cdef"],
    ["https://hooks.example.com/in?0123456789abcdef0123", "https://hooks.example.com/in?...23"],
    ["https://hooks.example.com/?q=a@b", "https://hooks.example.com/?q=a@b"],
    ["ftp://user:hunter2@example.com", "ftp://user:hunter2@example.com"],
    ["user:hunter2@example.com", "user:hunter2@example.com"],
    ["", ""]
  ]
  for (const [sent, shown] of rows) it(sent === "" ? "nothing" : sent, () => assert.strictEqual(maskUrl(sent), shown))

  it("shows no password, whatever is around it", () =>
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const [scheme = "", rest = ""] = url.split("//")
        assert.notInclude(maskUrl(`${scheme}//me:Canary-5f3a@${rest}`), "Canary")
      })
    ))

  it("is how a webhook is shown, and a DSN is not", () => {
    assert.deepInclude(maskConfig("webhook", { url: "https://u:p@h.example.com/", method: "POST" } as never), {
      url: "https://...@h.example.com/"
    })
    const dsn = "https://0123456789abcdef@o1.ingest.example.com/2"
    assert.deepInclude(maskConfig("sentry", { dsn, otlpEndpoint: "https://o1.example.com/" } as never), { dsn })
  })
})
