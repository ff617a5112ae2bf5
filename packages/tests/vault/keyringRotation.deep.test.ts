/**
 * Rotation while two servers work, one of them with an older keyring, and while the job is killed: every secret opens at any
 * time, and what was acknowledged last is what is kept.
 *
 * Rule: secrets#keyring-rotation. `GATEWARDEN_TEST_SECRETS` scales it up (default 300 credentials with an answer each).
 */
import { keyIdOf, layerVault, parseKeyring, contextOfKey, Vault } from "@gatewarden/core/internal"
import { layerPlatform } from "@gatewarden/node/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { commandLine, type ServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const { start } = serverFleet()

const secrets = Number(process.env["GATEWARDEN_TEST_SECRETS"] ?? 300)
const rotations = 3
const writers = 6

const keyOf = (generation: number): string => `k${generation}:${Buffer.alloc(32, generation).toString("base64")}`
const keyringOf = (...generations: readonly number[]): string => generations.map(keyOf).join(",")

const opening = (text: string) => {
  const parsed = parseKeyring(text)
  return "keyring" in parsed ? layerVault(parsed.keyring) : assert.fail(parsed.problem)
}

interface Kept {
  readonly id: string
  readonly account_id: string
  readonly workspace_id: string
  readonly sealed_key: Uint8Array
}

const readSealed = async (url: string, where = "true") =>
  (await execute(
    url,
    `select id, account_id, workspace_id, sealed_key from gatewarden_byok_credential where ${where}`
  )) as unknown as readonly Kept[]

/** The keys of these rows; rejects when one does not open. */
const openAll = (rows: readonly Kept[], keyring: string) =>
  Effect.runPromise(
    Effect.forEach(rows, (row) =>
      Effect.map(
        Vault.use((vault) => vault.open(row.sealed_key, contextOfKey(row.account_id, row))),
        (key) => [row.id, Redacted.value(key)] as const
      )
    ).pipe(Effect.provide(opening(keyring)), Effect.provide(layerPlatform))
  )

const rotate = (url: string, keyring: string) => {
  const child = spawn(process.execPath, [commandLine, "keyring", "rotate", "--json"], {
    env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: url, GATEWARDEN_KEYRING: keyring },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  return { child, ended: once(child, "close").then(() => ({ code: child.exitCode, stdout, stderr })) }
}

describe("gatewarden keyring rotate", () => {
  it("rewraps everything under load on two servers, and loses nothing", async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const environment = (keyring: string) => ({ DATABASE_URL: url, GATEWARDEN_KEYRING: keyring })
    const serve = (...generations: readonly number[]) => start({ environment: environment(keyringOf(...generations)) })
    let servers: readonly ServerProcess[] = await Promise.all([serve(1), serve(1)])
    const serverOf = (index: number): ServerProcess => servers[index % servers.length] ?? assert.fail()

    /** The last acknowledged key of each credential, and the answer to its creation. */
    const last = new Map<string, string>()
    const created: { readonly name: string; readonly key: string; readonly text: string; readonly id: string }[] = []
    const create = (name: string, key: string, server: ServerProcess) =>
      callServer(server.url, "POST", "/byok", {
        body: { name, key, provider: "openai" },
        headers: { "idempotency-key": name }
      })
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let index = writer; index < secrets; index += writers) {
          const [name, key] = [`c${index}`, `sk-original-${index}-${"x".repeat(20)}`]
          const answer = await create(name, key, serverOf(index))
          assert.strictEqual(answer.status, 200)
          created.push({ name, key, text: JSON.stringify(answer.json), id: answer.json.data.id })
          last.set(answer.json.data.id, key)
        }
      })
    )

    const load = { stopped: false }
    let requests = 0
    let opened = 0
    /** Changes keys, reads, and repeats creations, whose answers must open. Each credential has one writer. */
    const work = async (writer: number) => {
      const own = created.filter((_, index) => index % writers === writer)
      for (let round = 0; !load.stopped; round++) {
        const one = own[round % own.length] ?? assert.fail()
        const server = serverOf(round)
        const key = `sk-changed-${writer}-${round}-${"y".repeat(20)}`
        const patched = await callServer(server.url, "PATCH", `/byok/${one.id}`, { body: { key } })
        assert.strictEqual(patched.status, 200)
        last.set(one.id, key)
        const repeated = await create(one.name, one.key, serverOf(round + 1))
        assert.strictEqual(repeated.status, 200)
        assert.strictEqual(repeated.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(JSON.stringify(repeated.json), one.text)
        assert.strictEqual((await callServer(server.url, "GET", "/byok?limit=3")).status, 200)
        requests += 3
      }
    }
    const look = async (keyring: string) => {
      while (!load.stopped) opened += (await openAll(await readSealed(url, "random() < 0.05"), keyring)).length
    }

    /** Lets servers take over from those that are none of them. */
    const roll = async (next: readonly ServerProcess[]) => {
      const old = servers.filter((server) => !next.includes(server))
      servers = next
      await Promise.all(old.map((server) => server.stop()))
    }
    const spent: number[] = []
    for (let generation = 2; generation <= rotations + 1; generation++) {
      const [fresh, known] = [keyringOf(generation, generation - 1), keyringOf(generation - 1, generation)]
      // The new key is known everywhere before anything is sealed with it. While one server writes with the old, nothing is rotated.
      await roll(await Promise.all([serve(generation - 1, generation), serve(generation - 1, generation)]))
      await roll([await serve(generation, generation - 1), serverOf(1)])
      const refused = await rotate(url, fresh).ended
      assert.strictEqual(refused.code, 75, refused.stderr)
      await roll([serverOf(0), await serve(generation, generation - 1)])
      load.stopped = false
      const working = Promise.all([...Array.from({ length: writers }, (_, writer) => work(writer)), look(known)])

      const killed = rotate(url, fresh)
      const behind = async () =>
        Number(
          (
            await execute(
              url,
              `select count(*) as behind from gatewarden_byok_credential
               where substring(sealed_key from 3 for 2) <> convert_to('k${generation}', 'UTF8')`
            )
          )[0]?.["behind"]
        )
      await eventually("the first batch", async () => ((await behind()) < secrets ? true : undefined))
      killed.child.kill("SIGKILL")
      await killed.ended

      const began = performance.now()
      const job = await rotate(url, fresh).ended
      spent.push(performance.now() - began)
      assert.strictEqual(job.code, 0, job.stderr)
      assert.strictEqual(JSON.parse(job.stdout).unreadable, 0)
      load.stopped = true
      await working
      const rest = await rotate(url, fresh).ended
      assert.strictEqual(rest.code, 0, rest.stderr)
      assert.strictEqual(JSON.parse(rest.stdout).behind, 0)
    }

    const newest = keyringOf(rotations + 1)
    const rows = await readSealed(url)
    assert.lengthOf(rows, secrets)
    for (const { sealed_key } of rows) assert.strictEqual(keyIdOf(sealed_key), `k${rotations + 1}`)
    // The newest key alone opens everything, and everything is what was acknowledged last.
    assert.deepStrictEqual(new Map(await openAll(rows, newest)), last)
    const alone = await start({ environment: environment(newest) })
    for (const own of created.slice(0, 20)) assert.strictEqual((await create(own.name, own.key, alone)).status, 200)
    assert.isAbove(requests, 0)
    assert.isAbove(opened, 0)
    if (process.env["GATEWARDEN_TEST_SECRETS"] !== undefined)
      process.stderr.write(
        `${secrets} credentials, ${requests} requests under load, ${opened} opened beside it, ` +
          `rotations ${spent.map((millis) => Math.round(millis)).join(", ")} ms\n`
      )
  }, 600_000)
})
