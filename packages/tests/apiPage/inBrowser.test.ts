/** The API page: everything comes from the server itself, nothing is inline, and in a browser it shows and calls the operations. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { exchangeToken, openApiDocument } from "@gatewarden/contract/internal"
import { chromium, type Page } from "playwright-core"
import { chromiumPath } from "@gatewarden/testkit/browser/chromiumPath"
import { version } from "../../node/src/platform/version.ts"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const basePath = "/gate/v1"
const operationCount = Object.values(openApiDocument().paths).reduce((sum, path) => sum + Object.keys(path).length, 0)

interface Refusal {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly metadata: {
      readonly request_id: string
      readonly reason: string
      readonly doc_url: string
      readonly issues: readonly object[]
    }
  }
}

describe("the API page", () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({ environment: { GATEWARDEN_BASE_PATH: basePath, GATEWARDEN_METRICS: "1" } })
  })
  afterAll(() => server.stop())

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(new URL(path, server.url), { headers })

  it("has nothing inline, and names only files that are there", async () => {
    const page = await get("/docs")
    assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
    assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'self';/)
    const html = await page.text()
    assert.notMatch(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/)
    const named = Array.from(html.matchAll(/(?:src|href|data-openapi)="([^"]+)"/g), ([, name = ""]) => name)
    assert.lengthOf(named, 5)
    for (const name of named) {
      assert.notMatch(name, /^(?:[a-z]+:|\/)/)
      const file = await get(new URL(name, new URL("/docs", server.url)).pathname)
      assert.strictEqual(file.status, 200, name)
      assert.isAbove((await file.arrayBuffer()).byteLength, 100)
    }
  })

  /** Requests whose refusals the document shows, by the name of the example. */
  const provoked: Readonly<
    Record<string, readonly [path: string, request: RequestInit & { readonly headers?: object }]>
  > = {
    no_key: ["/key", {}],
    a_key_in_another_header: ["/key", { headers: { "x-api-key": "s3cret" } }],
    a_header_that_is_not_Bearer: ["/key", { headers: { authorization: "Basic s3cret" } }],
    a_key_that_was_cut: ["/key", { headers: { authorization: "Bearer gwm-v1-s3cret" } }],
    a_key_that_nobody_made: ["/key", { headers: { authorization: "Bearer nobody" } }],
    a_limit_without_its_interval: ["/guardrails", { method: "POST", body: '{"name":"x","limit_usd":1}' }],
    a_body_that_is_no_JSON: ["/guardrails", { method: "POST", body: "{" }],
    a_resource_that_does_not_exist_for_this_key: ["/workspaces/nowhere", { headers: {} }],
    a_path_without_an_operation: ["/nothing", {}],
    another_method_than_the_path_has_see_Allow: ["/key", { method: "DELETE" }],
    a_body_over_the_limit: ["/guardrails", { method: "POST", body: JSON.stringify({ name: "x".repeat(1_100_000) }) }],
    a_body_that_is_not_JSON: ["/guardrails", { method: "POST", body: "x", headers: { "content-type": "text/plain" } }]
  }

  it("documents refusals as they are", async () => {
    const { components } = JSON.parse(JSON.stringify(openApiDocument())) as {
      components: {
        responses: Record<string, { content: Record<string, { examples: Record<string, { value: Refusal }> }> }>
      }
    }
    const examples = Object.assign(
      {},
      ...Object.values(components.responses).map(({ content }) => content["application/json"]?.examples)
    ) as Record<string, { readonly value: Refusal }>
    for (const [name, [path, request]] of Object.entries(provoked)) {
      const isAnonymous = path === "/key"
      const answer = await fetch(`${server.url}${path}`, {
        ...request,
        headers: {
          ...(isAnonymous ? {} : { authorization: `Bearer ${managementKey}`, "content-type": "application/json" }),
          ...request.headers
        }
      })
      const { error } = (await answer.json()) as Refusal
      const shown = examples[name]?.value.error ?? assert.fail(name)
      const { request_id, doc_url, ...metadata } = error.metadata
      assert.isString(request_id)
      // Relative to the request, here and in the example.
      const page = `${server.url}/errors/${metadata.reason}`
      assert.strictEqual(new URL(doc_url, `${server.url}${path}`).href, page)
      assert.strictEqual(new URL(shown.metadata.doc_url, `${server.url}/key`).href, page)
      assert.deepEqual(
        { ...error, metadata },
        { ...shown, metadata: { reason: shown.metadata.reason, issues: shown.metadata.issues } },
        name
      )
    }
  })

  it("documents refusals of SCIM and OAuth as they are", async () => {
    type Shown = Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> }>>
    const { components } = JSON.parse(JSON.stringify(openApiDocument())) as {
      components: { responses: Record<string, { content: Record<string, { examples: Shown }> }> }
    }
    const shownAs = (response: string, type: string, name: string) =>
      components.responses[response]?.content[type]?.examples[name]?.value ?? assert.fail(`${response} ${name}`)
    const json = { authorization: `Bearer ${managementKey}`, "content-type": "application/json" }
    const answerOf = async (path: string, request: RequestInit) =>
      (await (await fetch(`${server.url}${path}`, request)).json()) as Readonly<Record<string, unknown>>

    const user = JSON.stringify({ userName: "ann" })
    await answerOf("/scim/v2/Users", { method: "POST", headers: json, body: user })
    const scim: readonly (readonly [status: number, name: string, path: string, request: RequestInit])[] = [
      [400, "a_filter_that_breaks_the_grammar", "/scim/v2/Users?filter=userName%20is%20%22ann%22", { headers: json }],
      [401, "no_key", "/scim/v2/Users", {}],
      [
        404,
        "a_resource_that_the_directory_has_not_provisioned",
        `/scim/v2/Users/${crypto.randomUUID()}`,
        { headers: json }
      ],
      [
        409,
        "a_name_that_another_user_of_the_directory_has",
        "/scim/v2/Users",
        { method: "POST", headers: json, body: user }
      ]
    ]
    for (const [status, name, path, request] of scim) {
      const { metadata, ...answer } = await answerOf(path, request)
      const { metadata: shown, ...rest } = shownAs(`ScimError${status}`, "application/scim+json", name)
      assert.deepEqual(answer, rest, name)
      // The id differs, and so does the address of the page, which is relative to the request.
      const facts = { request_id: "", doc_url: "" }
      assert.deepEqual({ ...(metadata as object), ...facts }, { ...(shown as object), ...facts }, name)
    }

    const body = { ...exchangeToken.example.body, grant_type: "client_credentials" }
    const refused = await answerOf("/oauth/token", { method: "POST", headers: json, body: JSON.stringify(body) })
    assert.deepEqual(refused, shownAs("OAuthError400", "application/json", "another_grant_than_a_token_exchange"))
  })

  it("is sent once: later requests are told that nothing changed", async () => {
    for (const path of ["/docs", "/docs/ui.js", "/docs/0.png"]) {
      const first = await get(path, { "x-request-id": "first" })
      assert.strictEqual(first.status, 200, path)
      assert.strictEqual(first.headers.get("x-request-id"), "first")
      await first.arrayBuffer()
      const again = await get(path, { "if-none-match": first.headers.get("etag") ?? "" })
      assert.strictEqual(again.status, 304, path)
      assert.match(again.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
    }
    const { status, headers } = await get("/docs/ui.js", { "accept-encoding": "gzip" })
    assert.strictEqual(status, 200)
    assert.strictEqual(headers.get("content-encoding"), "gzip")
    assert.isBelow(Number(headers.get("content-length")), 700_000)
  })

  it("leaves other paths and methods to their refusals", async () => {
    for (const path of ["/docs/nothing.js", "/docs/../etc/passwd", "/docsx"])
      assert.strictEqual((await get(path)).status, 404, path)
    const posted = await fetch(new URL("/docs", server.url), { method: "POST" })
    assert.strictEqual(posted.status, 405)
    assert.strictEqual(posted.headers.get("allow"), "GET, HEAD")
  })

  it("is gone when it is switched off", async () => {
    const without = await startServerProcess({ environment: { GATEWARDEN_DOCS: "0" } })
    for (const path of ["/docs", "/docs/ui.js"])
      assert.strictEqual((await fetch(new URL(path, without.url))).status, 404)
    await without.stop()
  })

  const inBrowser = async (path: string, use: (page: Page) => Promise<void>) => {
    const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] })
    try {
      await use(await browser.newPage({ viewport: { width: 1200, height: 1000 } }))
    } finally {
      await browser.close()
    }
  }

  const callWorkspace = async (page: Page) => {
    await page.getByRole("button", { name: "Authorize" }).first().click()
    await page.locator(".auth-container input").fill(managementKey)
    await page.locator(".auth-btn-wrapper button[type=submit]").click()
    await page.locator(".auth-btn-wrapper .btn-done").click()
    const operation = page.locator("#operations-Workspaces-getWorkspace")
    await operation.locator(".opblock-summary-control").click()
    await operation.locator("input[placeholder=id]").fill("default")
    await operation.getByRole("button", { name: "Execute" }).click()
    const answer = operation.locator(".live-responses-table")
    await answer.waitFor()
    return answer.innerText()
  }

  const installed = chromiumPath()
  for (const path of installed === undefined ? [] : [installed])
    it("shows the operations and calls one, asking no other host and breaking no rule of its policy", async () => {
      await inBrowser(path, async (page) => {
        const origin = new URL(server.url).origin
        const asked: string[] = []
        const complaints: string[] = []
        page.on("request", (request) => asked.push(request.url()))
        page.on("console", (message) => {
          if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
        })
        page.on("pageerror", (error) => complaints.push(error.message))
        await page.addInitScript(() =>
          document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
            console.error(`violates ${violatedDirective}: ${blockedURI}`)
          )
        )
        await page.goto(`${origin}/docs`)
        await page.locator(".opblock").first().waitFor()
        assert.strictEqual(await page.locator(".opblock").count(), operationCount)
        assert.include(await page.locator(".info .title").innerText(), version)
        assert.include(await page.locator(".opblock").first().innerText(), "/key")
        const box = page.getByLabel("Search operations")
        await box.fill("delete budgets interval")
        await page.locator("#operations-Workspaces-deleteWorkspaceBudget").waitFor()
        assert.strictEqual(await page.locator(".opblock").count(), 1)
        await box.fill("")
        await page
          .locator(".opblock")
          .nth(operationCount - 1)
          .waitFor()
        const answer = await callWorkspace(page)
        const refusals = page.locator(
          "#operations-Workspaces-getWorkspace .responses-table tr.response[data-code='401']"
        )
        assert.include(await refusals.innerText(), "No Authorization header was sent")
        // The others can be chosen.
        assert.include(await refusals.locator("select").last().innerText(), "a key that was cut")
        assert.match(answer, /\b200\b/)
        assert.include(answer, '"slug": "default"')
        assert.include(asked, `${origin}${basePath}/workspaces/default`)
        const picture = process.env["GATEWARDEN_SCREENSHOT"]
        if (picture !== undefined) await page.screenshot({ path: picture })
        assert.deepStrictEqual(
          asked.filter((url) => !url.startsWith(`${origin}/`)),
          []
        )
        assert.deepStrictEqual(complaints, [])
      })
    })
})
