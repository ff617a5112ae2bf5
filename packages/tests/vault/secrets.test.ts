/**
 * No answer, issue or log contains a submitted secret, whatever becomes of the request: not eight characters of one.
 *
 * Rule: errors#nothing-internal, secrets#never-shown.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { type Answer, type World } from "@gatewarden/conformance/internal/World"
import { ByokCredentials, Workspaces } from "@gatewarden/core/store"
import { layerMemory } from "@gatewarden/core/effect"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Every secret that was submitted, and so must not be seen again. */
const canaries: string[] = []
let state = 20260304

const canary = (prefix = "", length = 40): string => {
  let text = ""
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += alphabet[(state >>> 16) % alphabet.length]
  }
  canaries.push(text)
  return prefix + text
}

/** Pieces of eight characters of any canary that occur in a text. */
const leaks = (text: string): readonly string[] =>
  canaries.flatMap((secret) =>
    Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).filter((piece) =>
      text.includes(piece)
    )
  )

const seen: string[] = []
let logged = ""
const restore: (() => void)[] = []

const listen = () => {
  const keep = (...parts: readonly unknown[]) => {
    for (const part of parts) logged += `${typeof part === "string" ? part : JSON.stringify(part)}\n`
    return true
  }
  const methods = ["log", "info", "warn", "error", "debug", "trace", "group", "table"] as const
  for (const method of methods) {
    const original = console[method]
    console[method] = keep
    restore.push(() => (console[method] = original))
  }
  for (const stream of [process.stdout, process.stderr]) {
    const original = stream.write
    stream.write = (chunk: string | Uint8Array) =>
      keep(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())
    restore.push(() => (stream.write = original))
  }
}

/** A store that dies in the middle of its work, and says what it was given. */
const dying = Layer.effectContext(
  Effect.map(Layer.build(layerMemory), (context) =>
    context.pipe(
      Context.add(Workspaces, {
        ...Context.get(context, Workspaces),
        find: (_, name) => Effect.die(new Error(`cannot read ${name}`, { cause: { name } }))
      }),
      Context.add(ByokCredentials, {
        ...Context.get(context, ByokCredentials),
        insert: (_, row, sealed) => Effect.die(new Error(`cannot write ${row.label} ${String(sealed)}`, { cause: row }))
      })
    )
  )
)

let installation: Installation
let broken: Installation

beforeAll(async () => {
  installation = await Installation.start({ store: layerMemory, door: fetchDoor })
  broken = await Installation.start({ store: dying, door: fetchDoor })
})
afterAll(async () => {
  await installation.stop()
  await broken.stop()
})
beforeEach(listen)
afterEach(() => {
  for (const undo of restore.splice(0)) undo()
})

const status = async (expected: number, answer: Promise<Answer>): Promise<Answer> => {
  const { text, headers, ...rest } = await answer
  seen.push(text, ...headers.values())
  assert.strictEqual(rest.status, expected, leaks(text).length === 0 ? text : "a secret leaked")
  return { text, headers, ...rest }
}

const quiet = () => {
  for (const text of [...seen, logged]) assert.deepStrictEqual(leaks(text), [], text)
}

const nobody = "00000000-0000-4000-8000-000000000000"

/** A config whose every secret, header and address is a canary. */
const secretConfig = (type: keyof typeof destinationConfigs): Record<string, unknown> => {
  const { sent, shown } = destinationConfigs[type]
  const secrets = Object.keys(sent).filter((field) => sent[field] !== shown[field])
  return {
    ...sent,
    ...Object.fromEntries(secrets.map((field) => [field, canary()])),
    headers: { Authorization: `Bearer ${canary()}`, "X-Token": canary("", 13) }
  }
}

/** Requests that fail for what is sent, each with a canary where it hurts. */
const failing = (): readonly (readonly [path: string, method: string, body: unknown])[] => {
  const byok = { key: canary("sk-"), provider: "openai" }
  const hook = { type: "webhook", config: { url: "https://example.com", headers: { A: canary() } } }
  return [
    ["/byok", "POST", { ...byok, provider: canary() }],
    ["/byok", "POST", { ...byok, provider: [canary()] }],
    ["/byok", "POST", { ...byok, workspace_id: canary() }],
    ["/byok", "POST", { ...byok, workspace_id: nobody }],
    ["/byok", "POST", { ...byok, name: canary("", 300) }],
    ["/byok", "POST", { ...byok, disabled: canary() }],
    ["/byok", "POST", { ...byok, allowed_models: canary() }],
    ["/byok", "POST", { ...byok, allowed_models: [{ [canary()]: canary() }] }],
    ["/byok", "POST", { ...byok, allowed_api_key_hashes: [canary()] }],
    ["/byok", "POST", { ...byok, allowed_api_key_hashes: ["0".repeat(64)] }],
    ["/byok", "POST", { ...byok, is_byok_only: true, is_fallback: true }],
    ["/byok", "POST", { key: { secret: canary() }, provider: "openai" }],
    ["/byok", "POST", { key: [canary()], provider: "openai" }],
    ["/byok", "POST", `{"key":"${canary()}","provider":"openai"`],
    ["/byok", "POST", `{"key":"${canary()}","key":"${canary()}"}`],
    ["/byok", "POST", `{"key":"${canary()}\\u0000"}`],
    ["/byok", "POST", `{"${canary()}":1,"${canaries.at(-1)}":2}`],
    ["/byok", "POST", `{"key":${canary()}}`],
    ["/byok", "POST", `"${canary()}"`],
    [`/byok?provider=${canary()}`, "GET", undefined],
    [`/byok?limit=${canary()}&workspace_id=${canary()}`, "GET", undefined],
    [`/byok/${nobody}`, "PATCH", { key: { secret: canary() } }],
    ["/observability/destinations", "POST", { ...hook, type: canary() }],
    ["/observability/destinations", "POST", { ...hook, config: canary() }],
    ["/observability/destinations", "POST", { ...hook, config: { url: { [canary()]: canary() } } }],
    ["/observability/destinations", "POST", { ...hook, config: { url: "x", method: canary() } }],
    ["/observability/destinations", "POST", { ...hook, config: { url: "x", headers: { [canary(" ")]: canary() } } }],
    ["/observability/destinations", "POST", { ...hook, config: { url: "x", headers: { [canary()]: [canary()] } } }],
    ["/observability/destinations", "POST", { ...hook, config: { url: "x", headers: { A: `${canary()}\n` } } }],
    ["/observability/destinations", "POST", { type: "sentry", config: { dsn: canary(), otlpEndpoint: "x" } }],
    ["/observability/destinations", "POST", { type: "snowflake", config: { account: canary("/"), token: canary() } }],
    ["/observability/destinations", "POST", { type: "newrelic", config: { licenseKey: canary(), region: canary() } }],
    [
      "/observability/destinations",
      "POST",
      { ...hook, filter_rules: { groups: [{ rules: [{ field: canary(), operator: canary() }] }] } }
    ],
    [
      "/observability/destinations",
      "POST",
      {
        ...hook,
        filter_rules: { groups: [{ rules: [{ field: "input", operator: "regex", value: `${canary()}(?=` }] }] }
      }
    ],
    ["/observability/destinations", "POST", { ...hook, regions: [canary()] }],
    ["/observability/destinations", "POST", { ...hook, api_key_hashes: [canary()] }],
    ["/observability/destinations", "POST", { ...hook, sampling_rate: canary() }]
  ]
}

describe("a submitted secret", () => {
  it("is not in the answer when all is well", async () => {
    const world = await installation.newWorld()
    const headers = { "idempotency-key": "once" }
    for (const key of [
      canary("sk-"),
      canary("", 12),
      canary("", 23),
      canary("", 24),
      `{"private_key":"${canary()}"}`
    ]) {
      const body = { key, provider: "openai" }
      const made = await status(200, world.call("createByokCredential", { body }))
      const params = { id: made.json.data.id }
      await status(200, world.call("updateByokCredential", { params, body: { key: canary("gsk_") } }))
      await status(200, world.call("updateByokCredential", { params, body: { disabled: true } }))
    }
    const body = { key: canary("sk-"), provider: "openai" }
    await status(200, world.call("createByokCredential", { body, headers }))
    await status(200, world.call("createByokCredential", { body, headers }))
    await status(200, world.call("listByokCredentials"))
    for (const type of Object.keys(destinationConfigs) as (keyof typeof destinationConfigs)[])
      await status(200, world.call("createDestination", { body: { type, config: secretConfig(type) } }))
    await status(200, world.call("listDestinations"))
    quiet()
  })

  it("is not in the answer when the request is refused", async () => {
    const world = await installation.newWorld()
    for (const [path, method, body] of failing()) await status(400, world.send(method, path, { body }))
    const key = canary("sk-")
    const full = { key, provider: "openai" }
    await status(404, world.send("PATCH", `/byok/${nobody}`, { body: { key } }))
    await status(404, world.send("PATCH", `/byok/${canary()}`, { body: { key } }))
    await status(404, world.send("POST", `/byok/${canary()}/${canary()}`, { body: full }))
    await status(405, world.send("PUT", "/byok", { body: full }))
    await status(401, world.send("POST", "/byok", { body: full, key: null }))
    await status(401, world.send("POST", "/byok", { body: full, key: canary() }))
    await status(401, world.send("POST", "/byok", { body: full, key: canary("gwm-v1-", 49) }))
    await status(401, world.send("POST", "/byok", { body: full, headers: { authorization: `Basic ${canary()}` } }))
    await status(403, world.send("POST", "/byok", { body: full, key: world.normalKey }))
    await status(415, world.send("POST", "/byok", { body: key, headers: { "content-type": "text/plain" } }))
    await status(415, world.send("POST", "/byok", { body: full, headers: { "content-type": canary() } }))
    await status(413, world.send("POST", "/byok", { body: { ...full, padding: " ".repeat(1_048_576) } }))
    await status(400, world.send("POST", "/byok", { body: full, headers: { "idempotency-key": canary(" a ") } }))
    const { webhook } = destinationConfigs
    const hook = () => ({ type: "webhook", config: { ...webhook.sent, headers: { A: canary() } } })
    for (let count = 0; count < 5; count++) await status(200, world.call("createDestination", { body: hook() }))
    await status(409, world.call("createDestination", { body: hook() }))
    quiet()
  })

  const everything = async (world: World) => {
    const key = canary("sk-")
    await status(500, world.call("createByokCredential", { body: { key, provider: "openai", workspace_id: nobody } }))
    const config = secretConfig("langfuse")
    await status(500, world.call("createDestination", { body: { type: "langfuse", config, workspace_id: nobody } }))
  }

  it("is not in the answer or the log when the store is gone", async () => {
    const world = await installation.newWorld()
    const { faults } = installation
    await status(200, world.call("listByokCredentials"))
    faults.break("Workspaces", "ByokCredentials", "Destinations")
    await everything(world)
    await status(500, world.call("updateByokCredential", { params: { id: nobody }, body: { key: canary("sk-") } }))
    faults.mend()
    assert.include(logged, "store_unavailable")
    quiet()
  })

  it("is not in the log when something unforeseen repeats what it was given", async () => {
    const world = await broken.newWorld()
    const id = canary()
    await everything(world)
    // What the workspace is called is all that this store is given, so it stands for anything that an error may quote.
    await status(500, world.send("GET", `/workspaces/${id}`, { key: world.managementKey }))
    assert.include(logged, "unexpected failure")
    quiet()
  })

  it("would be found if it were there", () => {
    const secret = canary()
    assert.lengthOf(leaks(`...${secret.slice(3, 11)}...`), 1)
    assert.lengthOf(leaks(`...${secret.slice(3, 10)}...`), 0)
  })
})
