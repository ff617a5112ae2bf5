/** The functions of docs/connect-your-gateway.md, against a provider that answers otherwise than they expect. Each request is charged. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { sampleCatalog } from "@gatewarden/node"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const page = fileURLToPath(new URL("../../../docs/connect-your-gateway.md", import.meta.url))

/** How a function is cut out of the page, and called with a key and a request. Its timeout is shortened. */
const languages = {
  TypeScript: {
    block: /```ts\n(const \{ URL: gatewarden[^]*?)\nconst messages = /,
    file: "complete.mjs",
    called: "console.log((await complete(process.argv[2], JSON.parse(process.argv[3]))).status)",
    command: process.execPath,
    timeout: ["timeout(100_000)", "timeout(2_000)"]
  },
  Python: {
    block: /```python\n([^]*?)\nstatus, answer = complete/,
    file: "complete.py",
    called: "import sys\nprint(complete(sys.argv[1], json.loads(sys.argv[2]))[0])",
    command: "python3",
    timeout: ["timeout=100", "timeout=2"]
  }
} as const

type Sent = Readonly<Record<string, unknown>>
type Answering = (answer: ServerResponse, sent: Sent) => void

const used = { prompt_tokens: 9, completion_tokens: 40 }
const whole: Answering = (answer) => answer.end(JSON.stringify({ choices: [], usage: used }))

/** What the provider does, and what becomes of a request with two candidates: its status, the calls of the provider, whether all is charged. */
const cases: Readonly<
  Record<string, readonly [Answering, Sent, status: number, calls: number, charged: "usage" | "hold" | "none"]>
> = {
  "asks for no stream": [
    (answer, sent) => (sent["stream"] === undefined ? whole(answer, sent) : answer.end("data: {}\n\n")),
    { stream: true, stream_options: { include_usage: true } },
    200,
    1,
    "usage"
  ],
  "has a user with a long name": [whole, { user: "x".repeat(5_000) }, 200, 1, "usage"],
  "gets what is no JSON": [(answer) => answer.end("data: {}\n\n"), {}, 502, 1, "hold"],
  "gets JSON that is no object": [(answer) => answer.end("null"), {}, 502, 1, "hold"],
  "gets a part of an answer": [
    (answer) => {
      answer.writeHead(200, { "content-length": "1000" }).write("{")
      setTimeout(() => answer.destroy(), 50)
    },
    {},
    502,
    1,
    "hold"
  ],
  "gets no answer in time": [() => undefined, {}, 502, 1, "hold"],
  "loses its connection": [(answer) => answer.destroy(), {}, 502, 1, "hold"],
  "is refused by each candidate": [(answer) => answer.writeHead(500).end("{}"), {}, 502, 2, "none"]
}

const listening = async (handler: RequestListener) => {
  const server = createServer(handler).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe("a function of the page", () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({ environment: { GATEWARDEN_CATALOG: sampleCatalog } })
  })
  afterAll(() => server.stop())

  for (const [language, { block, file, called, command, timeout }] of Object.entries(languages))
    it(`in ${language} charges what a provider may bill, and asks no other one then`, async () => {
      const directory = await mkdtemp(join(tmpdir(), "gateway-function-"))
      onTestFinished(() => rm(directory, { recursive: true }))
      const [, source = assert.fail("the page has no function")] = block.exec(await readFile(page, "utf8")) ?? []
      const path = join(directory, file)
      await writeFile(path, `${source.replace(timeout[0], timeout[1])}\n${called}\n`)
      const call = async (method: string, at: string, key: string, body?: Sent) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
        const answer = await fetch(server.url + at, { method, headers, ...(body && { body: JSON.stringify(body) }) })
        return (await answer.json()) as { readonly key: string; readonly data: { readonly usage: number } }
      }
      let answering: Answering = whole
      let calls = 0
      const provider = await listening(async (request, answer) => {
        calls++
        let sent = ""
        for await (const chunk of request) sent += String(chunk)
        answering(answer, JSON.parse(sent) as Sent)
      })
      const complete = async (limit: object, request: Sent, address = provider) => {
        calls = 0
        const { key } = await call("POST", "/keys", managementKey, { name: "app", ...limit })
        const models = ["openai/gpt-4o-mini", "openai/gpt-4o"]
        const asked = { models, max_tokens: 50, messages: [{ role: "user", content: "Hello" }], ...request }
        const { stdout } = await promisify(execFile)(command, [path, key, JSON.stringify(asked)], {
          env: {
            ...process.env,
            URL: server.url,
            ADMIN: managementKey,
            OPENAI_BASE_URL: address,
            OPENAI_API_KEY: "sk-0"
          }
        })
        return [Number(stdout.trim().split("\n").at(-1)), calls, (await call("GET", "/key", key)).data.usage]
      }
      for (const [name, [does, request, status, asked, charged]] of Object.entries(cases)) {
        answering = does
        // The prompt and 50 tokens of gpt-4o-mini, or what it reports.
        const amount = { usage: 9 * 1.5e-7 + 40 * 6e-7, hold: 35 * 1.5e-7 + 50 * 6e-7, none: 0 }[charged]
        const [answered, called, spent = Number.NaN] = await complete({ limit: 1 }, request)
        assert.deepEqual([answered, called], [status, asked], name)
        assert.closeTo(spent, amount, 1e-9, name)
      }
      answering = (answer) => answer.end("no JSON")
      assert.deepEqual(await complete({}, {}), [502, 2, 0], "nothing is held: the next candidate is asked")
      assert.deepEqual(await complete({ limit: 1 }, {}, "http://127.0.0.1:21449"), [502, 0, 0], "nothing was sent")
    }, 120_000)
})
