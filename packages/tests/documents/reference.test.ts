/** The pages of `docs/reference` are what the tables of the code say. `GATEWARDEN_WRITE_REFERENCE=1` writes them. */
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { makeConsumer } from "@gatewarden/testkit/publishing/consumer"
import { formatsNotDependedOn } from "./reference/checkedFormats.ts"
import { commandProblems } from "./reference/commands.ts"
import { missingMethods, uncalledMethods, wronglyOwned, wrongNewer } from "./reference/compatibility.ts"
import { examples, problemsOf } from "./reference/methods.ts"
import { referencePages } from "./reference/pages.ts"

const folder = fileURLToPath(new URL("../../../docs/reference/", import.meta.url))

describe("the reference", () => {
  for (const [name, render] of Object.entries(referencePages))
    it(`has ${name} as the code has it`, () => {
      if (process.env["GATEWARDEN_WRITE_REFERENCE"] === "1") {
        mkdirSync(folder, { recursive: true })
        writeFileSync(`${folder}${name}`, render())
      } else assert.strictEqual(readFileSync(`${folder}${name}`, "utf8"), render(), "npm run reference writes it")
    })

  it("lacks no method of the public client that is in scope", () => {
    assert.deepEqual(missingMethods(), [])
    assert.deepEqual(wrongNewer(), [])
  })

  it("has each answered method of the public client called by a test", () => {
    assert.deepEqual(uncalledMethods(), [])
  })

  it("has each operation that the public API lacks marked as Gatewarden's own", () => {
    assert.deepEqual(wronglyOwned(), [])
  })

  it("cites packages of a registry that this repository depends on, at their versions", () => {
    const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
    const { devDependencies } = JSON.parse(manifest) as { readonly devDependencies: Readonly<Record<string, string>> }
    assert.deepEqual(formatsNotDependedOn(devDependencies), [])
    assert.include(formatsNotDependedOn({}), `posthog-node ${devDependencies["posthog-node"]}`)
  })

  it("has no other page", () => {
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(referencePages).sort())
  })

  it("lacks nothing of the Promise API", () => {
    assert.deepEqual(problemsOf(), [])
  })

  it("lacks nothing of the command line", () => {
    assert.deepEqual(commandProblems(), [])
  })

  it("has examples that compile", async () => {
    const shown = examples()
    assert.isAbove(shown.length, 30)
    const consumer = await makeConsumer([])
    try {
      for (const name of ["@gatewarden", "@types", "pg"]) await consumer.link(name)
      await consumer.write("main.ts", [given, ...shown.map(inFunction)].join("\n"))
      const said = await consumer.compile({ module: "nodenext", target: "es2023", types: ["node"], skipLibCheck: true })
      assert.strictEqual(said, "")
    } finally {
      await consumer.remove()
    }
  })
})

/** What the examples take for given. */
const given = `
import { createGatewarden, type GrantedAdmission, type Gatewarden, memory, mergePreset, type RestoredStream, toNextHandlers } from "@gatewarden/core"
import { bodyReceiver, type BodyReceiver, discardRest, inTurn, nodePlatform, nodeRequestOf, openGatewarden, type OpenedGatewarden, refuseUnreadable, type HostRoutes, type Served, serveGatewarden, type Started, smtpTransport, toNodeHandler } from "@gatewarden/node/internal"
import { gatewardenFastify } from "@gatewarden/node/fastify"
import { fromPool, type HostPool, postgres } from "@gatewarden/postgres"
import { pglite } from "@gatewarden/postgres/pglite"
import { clickhouse } from "@gatewarden/clickhouse"
import { type Client, createClient } from "@gatewarden/client"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

interface Given {
  gatewarden: Gatewarden
  admission: Extract<GrantedAdmission, { decision: "allow" }>
  candidate: GrantedAdmission["candidates"][number]
  stream: RestoredStream
  opened: OpenedGatewarden
  bodies: BodyReceiver
  client: Client
  pool: HostPool
  server: Server
  served: Served
  settlements: Promise<void>[]
  app: { register: (plugin: typeof gatewardenFastify, options: { gatewarden: Gatewarden; prefix: string }) => Promise<void> }
  request: Request & IncomingMessage
  response: ServerResponse
  messages: { role: "user"; content: string }[]
  api_key: string
  keyring: string
  keyHash: string
  accountId: string
  sharedKey: string
  etag: string
  start: string
  end: string
}
`

/** Names of a given value that an example makes itself are its own. */
const inFunction = (example: string): string => {
  const own = new Set(
    Array.from(example.matchAll(/\bconst (?:\{ ([\w, ]+) \}|(\w+))/g), ([, many, one]) =>
      (many ?? one ?? "").split(", ")
    ).flat()
  )
  const names = Array.from(given.matchAll(/^ {2}(\w+):/gm), ([, name = ""]) => name).filter((name) => !own.has(name))
  return `export const _${count++} = async ({ ${names.join(", ")} }: Given): Promise<unknown> => {\n${example}\nreturn\n}`
}

let count = 0
