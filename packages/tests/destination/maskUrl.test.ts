import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maskConfig } from "../../core/src/destination/config.ts"
import { maskUrl } from "../../core/src/destination/maskUrl.ts"

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
    [
      `https://chat.example.com/api/webhooks/1012345678901234567/${"aB3-_".repeat(13)}xYz?wait=true`,
      "https://chat.example.com/api/webhooks/1012345678901234567/aB3-..._xYz?wait=true"
    ],
    // Random, and without a digit.
    [
      "https://hooks.example.com/services/T0123456/B0123456/AbCdEfGhIjKlMnOpQrStUvWx",
      "https://hooks.example.com/services/T0123456/B0123456/Ab...UvWx"
    ],
    [
      "https://hooks.example.com/hook/3f2504e0-4f89-11d3-9a0c-0305e82c3301/",
      "https://hooks.example.com/hook/3f...3301/"
    ],
    ["https://bots.example.com/bot123456:AAbbCCddEEff00112233/send", "https://bots.example.com/bo...2233/send"],
    ["https://hooks.example.com\\0123456789abcdef0123\\x", "https://hooks.example.com\\...23\\x"],
    [
      "https://o1.example.com/api/2/integration/otlp/v1/traces",
      "https://o1.example.com/api/2/integration/otlp/v1/traces"
    ],
    [
      "https://hooks.example.com/incoming-usage-of-the-gateway",
      "https://hooks.example.com/incoming-usage-of-the-gateway"
    ],
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
    const shown = (dsn: string) => maskConfig("sentry", { dsn, otlpEndpoint: "https://o1.example.com/" } as never)
    assert.deepInclude(shown(dsn), { dsn })
    assert.deepInclude(shown("https://0123456789abcdef:canary-secret@o1.ingest.example.com/2"), {
      dsn: "https://0123456789abcdef:...@o1.ingest.example.com/2"
    })
  })
})
