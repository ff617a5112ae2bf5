import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { acceptsCallbackUrl, appName, callbackOrigin } from "../../core/src/authorization/callbackUrl.ts"

const ofLength = (length: number) => "https://example.com/".padEnd(length, "a")

const accepted = [
  "https://example.com",
  "https://example.com/",
  "https://example.com?code=1",
  "https://example.com/?",
  "https://example.com/callback",
  "https://example.com/callback?next=/a&x=%20",
  "https://example.com/a//b/../c/./d",
  "https://example.com/%2e%2e/%00",
  "https://example.com/~user/;a=b,c!$&'()*+:@",
  "https://example.com/a@b",
  "https://example.com?user@example.org",
  "https://example.com/[x]",
  "https://example.com?http://localhost",
  "HTTPS://example.com/",
  "hTTpS://example.com/",
  "https://EXAMPLE.com/",
  "https://Sub.Example.COM/x",
  "https://a",
  "https://localhost",
  "https://localhost:8443/cb",
  "https://127.0.0.1:8443/cb",
  "https://10.0.0.1",
  "https://255.255.255.255/",
  "https://1.2.3.4.example.com",
  "https://1a.com",
  "https://0x.example",
  "https://xn--bcher-kva.example/",
  "https://sub-domain.a-b.example.co.uk",
  "https://under_score.example.com",
  "https://a..b/",
  "https://.example.com/",
  "https://[::1]/",
  "https://[::1]:8443/",
  "https://[2001:db8::1]/x",
  "https://[2001:DB8::A]/x",
  "https://[::]",
  "https://example.com:443/",
  "https://example.com:0/",
  "https://example.com:1/",
  "https://example.com:80",
  "https://example.com:8080?x",
  "https://example.com:65535/",
  "https://example.com:00080/",
  "https://example.com:00443",
  "http://localhost",
  "http://localhost/",
  "http://localhost?x",
  "http://localhost:3000",
  "http://localhost:3000/callback",
  "http://localhost:80/",
  "http://localhost:0/",
  "http://localhost:65535/",
  "http://LOCALHOST:3000/",
  "HTTP://LocalHost/cb",
  "http://127.0.0.1",
  "http://127.0.0.1:9999/cb?x=1",
  "http://127.0.0.1/a:b",
  ofLength(2048)
]

const refused = [
  "",
  " ",
  "https",
  "https:",
  "https:/",
  "https://",
  "https:///",
  "https:///example.com/",
  "https://?x",
  "https:example.com",
  "https:/example.com",
  "//example.com/",
  "/callback",
  "example.com",
  "ftp://example.com/",
  "ws://localhost/",
  "wss://example.com/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "javascript://example.com/%0aalert(1)",
  "data:text/html,x",
  "httpss://example.com/",
  "xhttps://example.com/",
  "https ://example.com/",
  "myapp://callback",
  "http://example.com/",
  "http://example.com:3000/",
  "http://localhost.example.com/",
  "http://example.localhost/",
  "http://sub.localhost:3000/",
  "http://localhost./",
  "http://localhost.:3000/",
  "http://localhos",
  "http://localhostt/",
  "http://127.0.0.2/",
  "http://127.0.0.1.example.com/",
  "http://127.0.0.1./",
  "http://127.1/",
  "http://127.0.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://127.0.0.01/",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::1]:3000/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://10.0.0.1/",
  "http://192.168.0.1:3000/",
  "http://169.254.169.254/",
  "https://127.1/",
  "https://1/",
  "https://1.2.3/",
  "https://1.2.3.04/",
  "https://1.2.3.256/",
  "https://1.2.3.4.5/",
  "https://0x7f.1/",
  "https://example.0x1/",
  "https://example.1/",
  "https://999999999999/",
  "https://user@example.com/",
  "https://user:pass@example.com/",
  "https://@example.com/",
  "https://:@example.com/",
  "https://localhost:3000@example.com/",
  "http://localhost@example.com/",
  "http://localhost:80@example.com/",
  "http://example.com@localhost/",
  "https://example.com%40localhost/",
  "https://example.com#",
  "https://example.com/#",
  "https://example.com/#code",
  "https://example.com/cb#/x?y",
  "https://example.com?x#y",
  "http://localhost#@example.com/",
  "https://example.com:/",
  "https://example.com:",
  "https://example.com:?x",
  "https://example.com:65536/",
  "https://example.com:99999/",
  "https://example.com:000080/",
  "https://example.com:123456/",
  "https://example.com:80a/",
  "https://example.com:-1/",
  "https://example.com:+80/",
  "https://example.com:8 0/",
  "https://example.com:80:80/",
  "https://example.com::80/",
  "http://localhost:/",
  "http://localhost:65536/",
  "https://:443/",
  "https://example.com./",
  "https://example.com../",
  "https://./",
  "https://../",
  "https://EXAMPLE.com./",
  "https://ex%61mple.com/",
  "https://example%2ecom/",
  "https://%6cocalhost/",
  "http://%6cocalhost/",
  "https://exa%zzmple.com/",
  "https://%/",
  "https://exämple.com/",
  "https://example.com/ä",
  "https://例え.jp/",
  "https://example。com/",
  "https://ｅxample.com/",
  "http://ⓛocalhost/",
  "https://exam\u00adple.com/",
  "https://[::1/",
  "https://::1/",
  "https://[]/",
  "https://[1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::0001]/",
  "https://[::127.0.0.1]/",
  "https://[::1%25eth0]/",
  "https://[::1]a/",
  "https://a[::1]/",
  "https://[[::1]]/",
  "https://[v1.x]/",
  "https:\\\\example.com\\",
  "https://example.com\\@localhost/",
  "https://localhost\\.example.com/",
  "http://localhost\\example.com",
  "https://example.com/a\\b",
  'https://example.com/"',
  "https://example.com/<",
  "https://example.com/>",
  "https://example.com/^",
  "https://example.com/{",
  "https://example.com/|",
  "https://example.com/}",
  "https://example.com/`",
  "https://example.com/?<script>",
  "https://exa^mple.com/",
  " https://example.com/",
  "https://example.com/ ",
  "https://example.com/a b",
  "https://exa mple.com/",
  "\thttps://example.com/",
  "https://example.com/\n",
  "https://example.com/a\tb",
  "https://exa\nmple.com/",
  "ht\ntps://example.com/",
  "https://example.com/\u0000",
  "https://example.com/\u007f",
  "https://example.com/\u200b",
  "\ufeffhttps://example.com/",
  ofLength(2049)
]

/** The rules once more, character by character and without a URL parser: what one leaves as it is, is a host that it would not respell. */
const oracle = (url: string): boolean => {
  if (url.length > 2048) return false
  for (const character of url)
    if (character <= " " || character > "~" || '\\"<>^`{|}#'.includes(character)) return false
  const colon = url.indexOf("://")
  const scheme = url.slice(0, Math.max(colon, 0)).toLowerCase()
  if (scheme !== "http" && scheme !== "https") return false
  let authority = ""
  for (const character of url.slice(colon + 3)) {
    if (character === "/" || character === "?") break
    authority += character
  }
  if (authority.includes("@")) return false
  const closing = authority.lastIndexOf("]")
  const portColon = authority.indexOf(":", closing + 1)
  const host = (portColon === -1 ? authority : authority.slice(0, portColon)).toLowerCase()
  if (portColon !== -1) {
    const port = authority.slice(portColon + 1).split("")
    if (port.length < 1 || port.length > 5 || port.some((digit) => digit < "0" || digit > "9")) return false
    if (Number(port.join("")) >= 65_536) return false
  }
  if (host === "" || host.endsWith(".")) return false
  if (scheme === "http") return host === "localhost" || host === "127.0.0.1"
  if (host.includes("[") || host.includes("]")) return ["[::1]", "[2001:db8::1]", "[::]"].includes(host)
  if (host.includes("%") || host.includes(":")) return false
  const labels = host.split(".")
  const last = labels[labels.length - 1] ?? ""
  const isNumber = [...last].every((digit) => digit >= "0" && digit <= "9")
  if (!isNumber && !/^0x[0-9a-f]*$/.test(last)) return true
  return labels.length === 4 && labels.every((label) => String(Number(label)) === label && Number(label) < 256)
}

const pick = (...values: string[]) => fc.constantFrom(...values)
const mostly = (usual: fc.Arbitrary<string>, odd: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd })
const host = fc.oneof(
  { weight: 2, arbitrary: pick("localhost", "127.0.0.1", "example.com", "LocalHost", "EXAMPLE.com") },
  { weight: 1, arbitrary: pick("[::1]", "[2001:DB8::1]", "[0::1]", "[::", "[]", "[::]", "") },
  {
    weight: 2,
    arbitrary: fc
      .array(pick("a", "Z", "0", "1", "127", "256", "0x7f", "0X", "-", "_", ".", ".", "~", "!", "%61", "localhost"), {
        maxLength: 6
      })
      .map((parts) => parts.join(""))
  }
)
const urlText = fc
  .tuple(
    mostly(pick("https", "http", "HTTPS", "Http"), pick("ftp", "", "httpsx")),
    mostly(pick("://"), pick(":/", ":", "//")),
    mostly(pick(""), pick("user@", ":@", "a:b@", "@")),
    host,
    fc.oneof(
      pick("", ":", ":0", ":443", ":65535", ":65536", ":00080", ":000080", ":8x", ":1:2"),
      fc.integer({ min: 0, max: 70_000 }).map((port) => `:${port}`)
    ),
    pick("", "/", "/cb?x=1", "?x", "/a@b", "?@", "/%20", "/x", "/cb/"),
    mostly(pick(""), pick("#", "#x", "\\", " ", "\n", "é", "{", "`", "\u007f"))
  )
  .map((parts) => parts.join(""))

describe("acceptsCallbackUrl", () => {
  it("accepts", () => {
    for (const url of accepted) assert.isTrue(acceptsCallbackUrl(url), url)
  })

  it("refuses", () => {
    for (const url of refused) assert.isFalse(acceptsCallbackUrl(url), JSON.stringify(url))
    assert.isAtLeast(accepted.length + refused.length, 120)
  })

  it("is the written rules", () => {
    let yes = 0
    fc.assert(
      fc.property(urlText, (url) => {
        const answer = acceptsCallbackUrl(url)
        if (answer) yes++
        assert.strictEqual(answer, oracle(url), JSON.stringify(url))
      }),
      { numRuns: 20_000, seed: 7 }
    )
    assert.isAbove(yes, 1000, "the cases are worth something")
  })

  it("is the written rules for one odd character anywhere", () => {
    const base = "http://localhost:3000/cb"
    for (let at = 0; at <= base.length; at++)
      for (let code = 0; code < 256; code++) {
        const url = base.slice(0, at) + String.fromCharCode(code) + base.slice(at)
        assert.strictEqual(acceptsCallbackUrl(url), oracle(url), JSON.stringify(url))
      }
  })
})

describe("callbackOrigin", () => {
  it("is the scheme, the host and a port of its own", () => {
    const origins: readonly (readonly [string, string])[] = [
      ["https://example.com", "https://example.com"],
      ["HTTPS://EXAMPLE.com/a?b", "https://example.com"],
      ["https://example.com:443/", "https://example.com"],
      ["https://example.com:00443/", "https://example.com"],
      ["https://example.com:80/", "https://example.com:80"],
      ["https://example.com:0/", "https://example.com:0"],
      ["http://localhost:3000/a", "http://localhost:3000"],
      ["http://LOCALHOST:80/a", "http://localhost"],
      ["http://127.0.0.1:9/", "http://127.0.0.1:9"],
      ["https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"]
    ]
    for (const [url, origin] of origins) assert.strictEqual(callbackOrigin(url), origin)
  })

  it("is the origin of itself, for every accepted URL", () => {
    for (const url of accepted) {
      const origin = callbackOrigin(url)
      assert.isTrue(acceptsCallbackUrl(origin))
      assert.strictEqual(callbackOrigin(origin), origin)
    }
  })
})

describe("appName", () => {
  it("is host and port as they matter", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["https://App.Example.com/callback?x=1", "app.example.com"],
      ["https://app.example.com:443", "app.example.com"],
      ["https://app.example.com:8443/", "app.example.com:8443"],
      ["http://localhost:3000/callback", "localhost:3000"],
      ["http://127.0.0.1", "127.0.0.1"]
    ]
    for (const [url, expected] of cases) assert.strictEqual(appName(url), expected, url)
  })
})
