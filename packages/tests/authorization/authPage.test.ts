/** The authorization page: the whole flow over plain HTTP and in a browser, and what it refuses. */
import { createGatewarden, memory } from "@gatewarden/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenRouter } from "@openrouter/sdk"
import { createHash } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { chromium, type Page } from "playwright-core"
import { chromiumPath } from "@gatewarden/testkit/browser/chromiumPath"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

// RFC 7636, appendix B.
const codeVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const callback_url = "https://app.example.com:8443/callback?kept=1"

let server: ServerProcess
let origin: string

beforeAll(async () => {
  server = await startServerProcess()
  origin = new URL(server.url).origin
})
afterAll(() => server?.stop())

let challenges = 0
/** A challenge that no other test uses: one that is live is taken. */
const plain = () => ({ code_challenge: `${"x".repeat(43)}${++challenges}`, code_challenge_method: "plain" })

const hashed = (verifier: string) => ({
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256"
})

const pageAt = (query: Record<string, string>, path = "/auth") => `${origin}${path}?${new URLSearchParams(query)}`

const own = () => ({ origin, "sec-fetch-site": "same-origin" })

const post = (url: string, form: Record<string, string>, headers: Record<string, string> = own()) =>
  fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(form), headers })

const allow = { decision: "allow", management_key: managementKey }

describe("the authorization page", () => {
  const client = () => new OpenRouter({ apiKey: "none", serverURL: server.url, retryConfig: { strategy: "none" } })

  it("gives the app of the public client its key", async () => {
    const made = await client().oAuth.createAuthorizationUrl({
      callbackUrl: callback_url,
      codeChallenge: code_challenge,
      codeChallengeMethod: "S256",
      limit: 2.5
    })
    const url = String(made)
    assert.strictEqual(new URL(url).pathname, "/auth")
    const shown = await fetch(url)
    assert.strictEqual(shown.status, 200)
    const html = await shown.text()
    assert.include(html, "app.example.com:8443")
    assert.include(html, "$2.5")
    assert.include(html, "If you have no management key, ask the person who manages this account.")
    assert.notInclude(html, managementKey)
    const sent = await post(url, allow)
    assert.strictEqual(sent.status, 303, await sent.text())
    const location = new URL(sent.headers.get("location") ?? "")
    assert.strictEqual(`${location.origin}${location.pathname}`, "https://app.example.com:8443/callback")
    assert.strictEqual(location.searchParams.get("kept"), "1")
    const { key } = await client().oAuth.exchangeAuthCodeForAPIKey({
      requestBody: { code: location.searchParams.get("code") ?? "", codeVerifier, codeChallengeMethod: "S256" }
    })
    const used = new OpenRouter({ apiKey: key, serverURL: server.url })
    assert.strictEqual((await used.apiKeys.getCurrentKeyMetadata()).data.limit, 2.5)
  })

  it("guards the page", async () => {
    const shown = await fetch(pageAt({ callback_url }, new URL(server.url).pathname + "/auth"))
    assert.strictEqual(shown.headers.get("cache-control"), "no-store")
    assert.strictEqual(shown.headers.get("x-frame-options"), "DENY")
    const policy = shown.headers.get("content-security-policy") ?? ""
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self' https:\/\/app\.example\.com:8443; base-uri 'none'; frame-ancestors 'none'$/
    )
    const page = await shown.text()
    assert.notMatch(page, /<script|style=|\son\w+=/)
    assert.include(page, "It can read the presets, files and usage of its workspace.")
    // A host with characters that end a directive names no source.
    const odd = await fetch(pageAt({ callback_url: "https://a;b.example.com/" }))
    assert.include(odd.headers.get("content-security-policy") ?? "", "form-action 'self' https:; base-uri")
  })

  it("shows what an app says of itself as text", async () => {
    const shown = await fetch(pageAt({ callback_url, key_label: `"><script>alert(1)</script>` }))
    assert.include(await shown.text(), "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;")
  })

  it("shows in UTC when the key expires, of any offset", async () => {
    for (const plus of ["+", "%2B"]) {
      const shown = await fetch(`${pageAt({ callback_url })}&expires_at=2999-01-01T01:00:00${plus}02:00`)
      assert.include(await shown.text(), "2998-12-31T23:00:00.000Z")
    }
  })

  it("sends nobody to an address that the operation refuses", async () => {
    for (const bad of [
      "http://app.example.com/",
      "https://a@b.example.com/",
      "javascript:alert(1)",
      "//x",
      "https://b\\c"
    ])
      for (const answer of [
        await fetch(pageAt({ callback_url: bad }), { redirect: "manual" }),
        await post(pageAt({ callback_url: bad }), { decision: "deny" }),
        await post(pageAt({ callback_url: bad }), allow)
      ]) {
        assert.strictEqual(answer.status, 400, bad)
        assert.isNull(answer.headers.get("location"))
      }
  })

  it("refuses what the operation refuses, as a page", async () => {
    for (const query of [
      {},
      { callback_url, code_challenge: "short" },
      { callback_url, code_challenge_method: "S256" },
      { callback_url, limit: "-1" },
      { callback_url, limit: "much" },
      { callback_url, expires_at: "2020-01-01T00:00:00Z" },
      { callback_url, usage_limit_type: "yearly" },
      { callback_url, workspace_id: "x" },
      { callback_url, state: "x".repeat(1_025) }
    ] as Record<string, string>[]) {
      const answer = await fetch(pageAt(query))
      assert.strictEqual(answer.status, 400, JSON.stringify(query))
      assert.match(answer.headers.get("content-type") ?? "", /^text\/html/)
    }
    assert.strictEqual((await fetch(`${pageAt({ callback_url })}&callback_url=x`)).status, 400)
    const elsewhere = await post(pageAt({ callback_url, workspace_id: crypto.randomUUID() }), allow)
    assert.strictEqual(elsewhere.status, 400)
  })

  it("takes a form of its own only", async () => {
    const url = pageAt({ callback_url, ...plain() })
    for (const headers of [
      {},
      { origin: "https://evil.example.com" },
      { origin: "null" },
      { origin: `${origin}0` },
      { origin, "sec-fetch-site": "cross-site" }
    ] as Record<string, string>[]) {
      const answer = await post(url, allow, headers)
      assert.strictEqual(answer.status, 403, JSON.stringify(headers))
    }
    const json = await fetch(url, {
      method: "POST",
      body: "{}",
      headers: { ...own(), "content-type": "application/json" }
    })
    assert.strictEqual(json.status, 415)
    assert.strictEqual((await post(url, { ...allow, padding: "x".repeat(9_000) })).status, 413)
    assert.strictEqual((await post(url, allow)).status, 303)
  })

  it("asks again for a key that may not allow an app, and keeps none", async () => {
    const url = pageAt({ callback_url, ...plain() })
    for (const key of ["", "nobody-made-this-key", "two words", "gwm-v1-cut"]) {
      const answer = await post(url, { decision: "allow", management_key: key })
      assert.strictEqual(answer.status, 401, key)
      const html = await answer.text()
      assert.include(html, 'role="alert"')
      assert.notInclude(html, 'value="nobody')
    }
    const made = await fetch(`${server.url}/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "normal" })
    })
    const { key } = (await made.json()) as { key: string }
    assert.strictEqual((await post(url, { decision: "allow", management_key: key })).status, 403)
    assert.strictEqual((await post(url, { management_key: managementKey })).status, 400)
  })

  it("tells the app that the user denies, with its state", async () => {
    const answer = await post(pageAt({ callback_url, state: "a&b=ö" }), { decision: "deny" })
    assert.strictEqual(answer.status, 303)
    assert.strictEqual(
      answer.headers.get("location"),
      `${callback_url}&error=access_denied&state=${encodeURIComponent("a&b=ö")}`
    )
  })

  it("shows the code where there is no callback, to whoever has the verifier", async () => {
    assert.strictEqual((await fetch(pageAt({ key_label: "CLI" }))).status, 400)
    assert.strictEqual((await post(pageAt({ ...plain(), key_label: "CLI" }), allow)).status, 400)
    const verifier = plain().code_challenge
    const url = pageAt({ ...hashed(verifier), key_label: "CLI" })
    const answer = await post(url, allow)
    assert.strictEqual(answer.status, 200)
    const [, code = ""] = /<code>([^<]+)<\/code>/.exec(await answer.text()) ?? []
    const { key } = await client().oAuth.exchangeAuthCodeForAPIKey({
      requestBody: { code, codeVerifier: verifier }
    })
    assert.match(key, /^gw-v1-/)
    assert.strictEqual((await post(url, { decision: "deny" })).status, 200)
  })

  it("answers other methods and a server without it as any other path", async () => {
    const put = await fetch(`${origin}/auth`, { method: "PUT" })
    assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, HEAD, POST"])
    const without = await startServerProcess({
      environment: { GATEWARDEN_AUTH_PAGE: "0", GATEWARDEN_PUBLIC_URL: "https://gate.example.com/v1" }
    })
    assert.strictEqual((await fetch(new URL("/auth", without.url))).status, 404)
    const metadata = await fetch(`${without.url}/.well-known/oauth-authorization-server`)
    const { issuer, authorization_endpoint } = (await metadata.json()) as Record<string, string>
    assert.deepEqual([issuer, authorization_endpoint], ["https://gate.example.com/v1", undefined])
    await without.stop()
  })

  it("is not served by the address that a Host header names, if other machines reach the server", async () => {
    const open = await startServerProcess({ environment: { HOST: "0.0.0.0" } })
    assert.include(open.stderr(), "GATEWARDEN_PUBLIC_URL")
    const page = await fetch(new URL(`/auth?${new URLSearchParams({ callback_url })}`, open.url))
    assert.strictEqual(page.status, 404)
    assert.include(await page.text(), "GATEWARDEN_PUBLIC_URL")
    const metadata = await callServer(open.url, "GET", "/.well-known/oauth-authorization-server")
    assert.deepEqual([metadata.status, metadata.json.error.metadata.reason], [404, "public_url_required"])
    await open.stop()
  })

  it("is found by way of the metadata, where RFC 8414 looks for it", async () => {
    const { pathname } = new URL(server.url)
    const found = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`)
    const metadata = (await found.json()) as Record<string, string>
    assert.strictEqual(metadata["issuer"], server.url)
    assert.strictEqual(
      (await fetch(`${metadata["authorization_endpoint"]}?${new URLSearchParams({ callback_url })}`)).status,
      200
    )
  })
})

describe("the authorization page of a host that signs its users in", () => {
  it("asks for consent alone, and records the user", async () => {
    const gatewarden = await createGatewarden({
      store: memory(),
      authenticate: (request) =>
        ({ ada: { kind: "management", account: "default", user: "ada" }, eve: "refuse" } as const)[
          request.headers.get("cookie") ?? ""
        ]
    })
    const url = `http://host.test/api/v1/auth?${new URLSearchParams({ callback_url, ...plain() })}`
    const call = (init: RequestInit) => gatewarden.fetch(new Request(url, init))
    const form = { method: "POST", body: new URLSearchParams({ decision: "allow" }) }
    const headers = (more: object) => ({
      "content-length": "14",
      "content-type": "application/x-www-form-urlencoded",
      ...more
    })
    const shown = await (await call({ headers: { cookie: "ada" } })).text()
    assert.include(shown, "Signed in as ada")
    assert.notInclude(shown, "management_key")
    assert.include(await (await call({})).text(), "management_key")
    assert.strictEqual((await call({ headers: { cookie: "eve" } })).status, 401)
    const forged = await call({ ...form, headers: headers({ cookie: "ada", origin: "https://evil.example.com" }) })
    assert.strictEqual(forged.status, 403)
    const sent = await call({ ...form, headers: headers({ cookie: "ada", origin: "http://host.test" }) })
    assert.strictEqual(sent.status, 303, await sent.text())
    const code = new URL(sent.headers.get("location") ?? "").searchParams.get("code")
    assert.match(code ?? "", /^[\w-]{43}$/)
    await gatewarden.close()
  })
})

const installed = chromiumPath()
for (const executablePath of installed === undefined ? [] : [installed])
  describe("the authorization page in a browser", () => {
    /** The app, on a port of this machine. */
    let app: Server
    let appUrl: string
    beforeAll(async () => {
      app = createServer((_, response) => response.end("<title>the app</title>"))
      await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve))
      appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
    })
    afterAll(() => app.close())

    const inBrowser = async (use: (page: Page) => Promise<void>, options: object = {}) => {
      const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
      try {
        const page = await browser.newPage({ viewport: { width: 700, height: 700 }, ...options })
        const complaints: string[] = []
        page.on("console", (message) => {
          if (/policy|violat|refused/i.test(message.text())) complaints.push(message.text())
        })
        await use(page)
        assert.deepEqual(complaints, [])
      } finally {
        await browser.close()
      }
    }

    /** For whoever changes the page, to look at. */
    const picture = async (page: Page, name: string) => {
      const directory = process.env["GATEWARDEN_TEST_PICTURES"]
      if (directory !== undefined) await page.screenshot({ path: `${directory}/${name}.png` })
    }

    it("leads a user to the app with a code, without JavaScript", async () => {
      await inBrowser(
        async (page) => {
          await page.goto(
            pageAt({ callback_url: appUrl, ...plain(), limit: "5", usage_limit_type: "monthly", state: "s" })
          )
          assert.include(await page.getByRole("heading", { level: 1 }).innerText(), new URL(appUrl).host)
          await picture(page, "consent")
          await page.getByLabel("Management key").fill("wrong")
          await page.getByRole("button", { name: "Allow" }).click()
          assert.include(await page.getByRole("alert").innerText(), "not valid")
          await picture(page, "wrong")
          assert.strictEqual(await page.getByLabel("Management key").inputValue(), "")
          await page.getByLabel("Management key").fill(managementKey)
          await page.keyboard.press("Enter")
          await page.waitForURL(`${appUrl}?**`)
          assert.strictEqual(new URL(page.url()).searchParams.get("state"), "s")
          assert.match(new URL(page.url()).searchParams.get("code") ?? "", /^[\w-]{43}$/)
          assert.notInclude(page.url(), managementKey)
        },
        { javaScriptEnabled: false }
      )
    })

    it("lets a user deny without a key, and shows a code in the dark", async () => {
      await inBrowser(
        async (page) => {
          await page.goto(pageAt({ callback_url: appUrl }))
          await page.getByRole("button", { name: "Deny" }).click()
          await page.waitForURL(`${appUrl}?error=access_denied`)
          await page.goto(pageAt(hashed(plain().code_challenge)))
          await picture(page, "dark")
          await page.getByLabel("Management key").fill(managementKey)
          await page.getByRole("button", { name: "Allow" }).click()
          assert.include(await page.getByRole("heading", { level: 1 }).innerText(), "Enter this code")
          await picture(page, "code")
        },
        { colorScheme: "dark" }
      )
    })
  })
