/** The reference gateway. The lines of `docs/gateway.md` that a newcomer copies: each as it stands, against the real process. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { callServer } from "../../src/server/callServer.ts"
import { gateway as program, type ServerProcess, startServerProcess } from "../../src/server/serverProcess.ts"
import { type ChatUpstream, completes, startChatUpstream } from "../../src/upstream/chatUpstream.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const page = readFileSync(`${root}docs/gateway.md`, "utf8")
const examples = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code = ""]) => code)

let upstream: ChatUpstream
let started: ServerProcess
let key: string
beforeAll(async () => {
  upstream = await startChatUpstream()
  upstream.plays("openai", completes("Good day!", { prompt_tokens: 1_000, completion_tokens: 1_000 }))
  started = await startServerProcess({
    program,
    environment: {
      GATEWAY_UPSTREAMS: JSON.stringify({ openai: { base_url: upstream.baseUrl("openai") } }),
      OPENAI_API_KEY: "sk-shared-openai-0123456789"
    }
  })
  const { json } = await callServer(started.url, "POST", "/keys", { body: { name: "my-app" } })
  ;({ key } = json as { readonly key: string })
})
afterAll(async () => {
  await started?.stop()
  await upstream?.close()
})

describe("an example of the page", () => {
  it("is there for each of the five clients", () => assert.lengthOf(examples, 5))

  for (const example of examples)
    it(`asks and prints the answer: ${/from "([^"]+)"/.exec(example)?.[1]}`, async () => {
      assert.include(example, "http://127.0.0.1:8787/api/v1")
      const code = example.replaceAll("http://127.0.0.1:8787/api/v1", started.url)
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
        cwd: root,
        env: { PATH: process.env["PATH"] ?? "", KEY: key }
      })
      assert.match(stdout, example.includes("cost)") ? /^Good day! 0\.00075\n$/ : /^Good day!\n$/)
    })
})
