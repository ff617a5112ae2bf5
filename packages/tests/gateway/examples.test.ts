/** The reference gateway. The lines of `docs/gateway.md` that a newcomer copies: each as it stands, against the real process. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { gateway as program, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { answers, type ApiForm, text } from "@gatewarden/testkit/upstream/ApiForm"
import { chatForm } from "@gatewarden/testkit/upstream/chatForm"
import { type ChatUpstream, startChatUpstream } from "@gatewarden/testkit/upstream/chatUpstream"
import { embeds, vector } from "@gatewarden/testkit/upstream/embeddingsForm"
import { messagesForm } from "@gatewarden/testkit/upstream/messagesForm"
import { responsesForm } from "@gatewarden/testkit/upstream/responsesForm"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const page = readFileSync(`${root}docs/gateway.md`, "utf8")
const examples = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code = ""]) => code)

const forms: Readonly<Record<string, ApiForm>> = {
  [chatForm.path]: chatForm,
  [responsesForm.path]: responsesForm,
  [messagesForm.path]: messagesForm
}
const usage = { prompt_tokens: 1_000, completion_tokens: 1_000 }

/** What each model charges for it. */
const printed = (example: string): string => {
  if (example.includes("embeddings.create")) return `${vector.length} 0.00002\n`
  if (!example.includes("cost)")) return "Good day!\n"
  return `Good day! ${example.includes("anthropic/claude-haiku-4.5") ? "0.006" : "0.00075"}\n`
}

let upstream: ChatUpstream
let started: ServerProcess
let key: string
beforeAll(async () => {
  upstream = await startChatUpstream()
  for (const provider of ["openai", "anthropic"])
    upstream.plays(provider, (asked, response) => {
      const form = forms[asked.path]
      const script = form === undefined ? embeds(usage.prompt_tokens) : answers(form, [text("Good day!")], usage)
      return script(asked, response)
    })
  started = await startServerProcess({
    program,
    environment: {
      GATEWAY_UPSTREAMS: JSON.stringify({
        openai: { base_url: upstream.baseUrl("openai") },
        anthropic: { base_url: upstream.baseUrl("anthropic") }
      }),
      OPENAI_API_KEY: "sk-shared-openai-0123456789",
      ANTHROPIC_API_KEY: "sk-shared-anthropic-0123456789"
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
  it("is there for each of the five clients, and for each other API", () => assert.lengthOf(examples, 9))

  for (const example of examples)
    it(`asks and prints the answer: ${/from "([^"]+)"/.exec(example)?.[1]}, ${/(?:await \w+(?:\.\w+)*)/.exec(example)?.[0]}`, async () => {
      assert.include(example, "http://127.0.0.1:8787/api")
      const code = example.replaceAll("http://127.0.0.1:8787/api", started.url.replace(/\/v1$/, ""))
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
        cwd: root,
        env: { PATH: process.env["PATH"] ?? "", KEY: key }
      })
      assert.strictEqual(stdout, printed(example))
    })
})
