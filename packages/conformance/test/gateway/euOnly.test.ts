/** The guide "EU only", step by step as it stands, on the server and on the reference gateway. */
import { assert, describe, expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gateway, managementKey, startServerProcess } from "../../src/server/serverProcess.ts"
import { completes, startChatUpstream } from "../../src/upstream/chatUpstream.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const page = readFileSync(`${root}docs/eu-only.md`, "utf8")

interface Step {
  readonly command: string
  /** A part of what the last line of the command prints, as the page shows it. */
  readonly shown: object | undefined
}

const steps = [...page.matchAll(/```sh\n([^]*?)```\n((?:(?!```)[^])*?```json\n([^]*?)```)?/g)].map(
  ([, command = "", , shown]): Step => ({ command, shown: shown === undefined ? undefined : JSON.parse(shown) })
)
const starts = steps.filter(({ command }) => /npm (?:start|run gateway)/.test(command)).map(({ command }) => command)
const commands = steps.filter(({ command }) => !/npm (?:start|run gateway)/.test(command))

/** The variables that the page starts a process with. */
const variablesOf = (command: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...command.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]))

/** `curl` as the page uses it, for machines without one. */
const curl = `#!${process.execPath}
const headers = {}
let url, body, method
const given = process.argv.slice(2)
while (given.length > 0) {
  const next = given.shift()
  if (next === "-s") continue
  else if (next === "-X") method = given.shift()
  else if (next === "-d") body = given.shift()
  else if (next === "-H") { const [name, ...value] = given.shift().split(": "); headers[name] = value.join(": ") }
  else url = next
}
fetch(url, { method: method ?? (body === undefined ? "GET" : "POST"), headers, body })
  .then((answer) => answer.text()).then((text) => process.stdout.write(text))
`

const mark = "--- next step ---"

/** Runs the commands in one shell, and compares what each prints with what the page shows. */
const follow = async (url: string, some: readonly Step[]): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), "gatewarden-eu-only-"))
  try {
    await writeFile(join(directory, "curl"), curl, { mode: 0o755 })
    const script = some
      .map(({ command }) => `${command}\necho\necho '${mark}'\n`)
      .join("")
      .replaceAll("http://127.0.0.1:8787/api/v1", url)
      .replaceAll("$(cat .gatewarden/management-key)", managementKey)
    const { stdout } = await promisify(execFile)("bash", ["-c", script], {
      env: { PATH: `${directory}:${process.env["PATH"] ?? ""}` },
      timeout: 60_000
    })
    const printed = stdout.split(`\n${mark}\n`)
    for (const [index, { command, shown }] of some.entries()) {
      if (shown === undefined) continue
      // Of several answers the page shows the last: each begins where the one before ends.
      const text = printed[index] ?? ""
      const last = text.slice(text.lastIndexOf('}{"') + 1)
      expect(JSON.parse(last), command).toMatchObject(shown)
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

describe("the guide EU only", () => {
  it("shows the answer of each step but those that set variables", () => {
    assert.lengthOf(starts, 2)
    assert.deepEqual(
      commands.filter(({ shown }) => shown === undefined).map(({ command }) => command.split("\n").length),
      [3]
    )
  })

  it("works on the server", async () => {
    const variables = variablesOf(starts[0] ?? "")
    const catalog = join(root, variables["GATEWARDEN_CATALOG"] ?? "")
    const server = await startServerProcess({ environment: { ...variables, GATEWARDEN_CATALOG: catalog } })
    try {
      await follow(server.url, commands.slice(0, -1))
    } finally {
      await server.stop()
    }
  })

  it("works on the gateway, which sends the request to Europe and with the key for it", async () => {
    const upstream = await startChatUpstream()
    upstream.plays("openai", completes("hi", { prompt_tokens: 10, completion_tokens: 1 }))
    const started = await startServerProcess({
      program: gateway,
      environment: {
        ...variablesOf(starts[1] ?? ""),
        OPENAI_EU_API_KEY: "sk-eu-0123456789",
        OPENAI_API_KEY: "sk-global-0123456789",
        GATEWAY_UPSTREAMS: JSON.stringify({
          "openai/eu": { base_url: upstream.baseUrl("openai") },
          openai: { base_url: "http://127.0.0.1:9/v1" }
        })
      }
    })
    try {
      await follow(started.url, commands)
      assert.deepEqual(
        upstream.calls().map(({ authorization }) => authorization),
        ["Bearer sk-eu-0123456789"]
      )
    } finally {
      await started.stop()
      await upstream.close()
    }
  })
})
