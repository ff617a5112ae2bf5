/** The API page: everything comes from the server itself, nothing is inline, and in a browser it shows and calls the operations. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { openApiDocument } from "@gatewarden/contract"
import { chromium, type Page } from "playwright-core"
import { chromiumPath } from "../src/browser/chromiumPath.ts"
import { managementKey, type ServerProcess, startServerProcess } from "../src/server/serverProcess.ts"

const basePath = "/gate/v1"
const operationCount = Object.values(openApiDocument().paths).reduce((sum, path) => sum + Object.keys(path).length, 0)

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
    for (const path of ["/docs/", "/docs/nothing.js", "/docs/../etc/passwd", "/docsx"])
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
        const answer = await callWorkspace(page)
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
