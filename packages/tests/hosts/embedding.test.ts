/** The lines that `docs/embedding.md` shows, and the Bun example where Bun is installed. */
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const bun = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((directory) => join(directory, "bun"))
  .find((file) => existsSync(file))
const root = fileURLToPath(new URL("../../../", import.meta.url))
const example = join(root, "examples/embed-bun/src/server.ts")

/** What the example says once it listens. */
const started = async (child: ChildProcess) => {
  for await (const line of createInterface({ input: child.stderr ?? assert.fail() })) {
    const [, url, key] = /^(http:\S+), management key (\S+)$/.exec(line) ?? []
    if (url !== undefined && key !== undefined) return { url, key }
  }
  return assert.fail("Bun ended before it listened")
}

const servedBy = (bun: string) =>
  it("serves the operations in Bun and leaves the rest to the host", async () => {
    const child = spawn(bun, [example], { env: { ...process.env, PORT: "0" }, stdio: ["ignore", "ignore", "pipe"] })
    try {
      const { url, key } = await started(child)
      const send = (path: string, body: string, headers: Record<string, string> = {}) =>
        fetch(`${url}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
          body
        })
      const made = await send("/guardrails", '{"name":"on Bun"}')
      assert.strictEqual(made.status, 200)
      assert.include(await made.text(), "on Bun")
      for (const [path, body, headers, status] of [
        ["/guardrails", '{"name":"a","name":"b"}', {}, 400],
        ["/guardrails", JSON.stringify({ name: "x".repeat(1_048_576) }), {}, 413],
        ["/guardrails", "{}", { "content-type": "text/plain" }, 415],
        ["/guardrails", "{}", { authorization: "Bearer nobody" }, 401],
        ["/workspaces/default", "{}", {}, 405],
        ["/nothing", "{}", {}, 404]
      ] as const) {
        const refused = await send(path, body, headers)
        assert.strictEqual(refused.status, status, path)
        assert.strictEqual(((await refused.json()) as { error: { code: number } }).error.code, status)
        assert.isNotNull(refused.headers.get("x-request-id"))
      }
      const file = new FormData()
      file.set("file", new Blob(["hello"]), "hello.txt")
      const uploaded = await fetch(`${url}/files`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: file
      })
      assert.strictEqual(uploaded.status, 200, await uploaded.text())
      const echoed = await fetch(new URL("/echo", url), { method: "POST", body: '{"a":1}' })
      assert.strictEqual(await echoed.text(), '{"a":1}')
      assert.strictEqual((await fetch(new URL("/elsewhere", url))).status, 404)
    } finally {
      child.kill()
      await once(child, "close")
    }
  })

describe("embedding, as its page shows it", () => {
  it("is written in the examples", async () => {
    const page = await readFile(join(root, "docs/embedding.md"), "utf8")
    const shown = [...page.matchAll(/^\/\/ (embed-[a-z-]+).*\n(.+)$/gm)]
    assert.deepEqual(
      shown.map(([, example]) => example),
      ["node-http", "express", "fastify", "hono", "next", "bun", "effect"].map((host) => `embed-${host}`)
    )
    for (const [, example = "", line = ""] of shown) {
      const file = example === "embed-next" ? "app/api/v1/[...path]/route.ts" : "src/server.ts"
      assert.include(await readFile(join(root, "examples", example, file), "utf8"), line)
    }
  })

  if (bun !== undefined) servedBy(bun)
})
