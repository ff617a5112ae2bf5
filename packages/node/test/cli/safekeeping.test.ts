/** `move`, `backup` and `restore`, with real servers on both sides. Rule: operating#moving-an-installation. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { inject } from "vitest"
import { callServer } from "../../../conformance/src/server/callServer.ts"
import { eventually } from "../../../conformance/src/server/eventually.ts"
import { commandLine, managementKey, type ServerProcess } from "../../../conformance/src/server/serverProcess.ts"
import { createDatabase, execute } from "../../../conformance/src/stores/postgresServer.ts"
import { formerMigrations } from "../../../postgres/test/formerMigrations.ts"
import { gatewarden, run, server, temporaryDirectory } from "../gatewarden.ts"

const other = `k9:${Buffer.alloc(32, 9).toString("base64")}`

const content = Buffer.alloc(1_500_000, "content of a file ")

/** Some of everything: rows, secrets, files of more than one piece, usage, rankings and answers that are kept. */
const fill = async ({ url }: ServerProcess): Promise<void> => {
  const post = async (path: string, body: unknown, headers = {}) => {
    const answer = await callServer(url, "POST", path, { body, headers })
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.json))
    return answer
  }
  for (let index = 0; index < 5; index++)
    await post(
      "/byok",
      { name: `key "${index}"\n\\`, provider: "openai", key: `sk-${index}-${"x".repeat(30)}` },
      { "idempotency-key": `byok-${index}` }
    )
  await post("/guardrails", {
    name: "Ünïcode 😀",
    limit_usd: 0.1,
    reset_interval: "daily",
    allowed_models: ["a/b", 'c"d']
  })
  await post("/observability/destinations", {
    type: "webhook",
    config: { url: "https://example.com", headers: { Authorization: "Bearer abcdefghijklmnop" } }
  })
  await post("/presets/kept/chat/completions", {
    model: "a/b",
    temperature: 0.1,
    messages: [{ role: "system", content: "Hi" }]
  })
  const events = Array.from({ length: 500 }, (_, index) => ({
    id: `event-${index}`,
    created_at: new Date(Date.now() - index * 3_600_000).toISOString(),
    model: "a/b",
    provider: "openai",
    prompt_tokens: index,
    completion_tokens: 2 ** 40 + index,
    cost_usd: "0.123456789",
    latency_ms: index / 3,
    classifiers: { tone: { mood: "good" } }
  }))
  await post("/gateway/usage-events", { events })
  const form = new FormData()
  form.append("file", new Blob([content], { type: "text/plain" }), "kept.txt")
  const upload = await fetch(`${url}/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}` },
    body: form
  })
  assert.strictEqual(upload.status, 200, await upload.text())
  assert.strictEqual((await callServer(url, "GET", "/datasets/rankings-daily")).status, 200)
}

/** What a client sees of an installation, answers that are repeated included. */
const view = async ({ url }: ServerProcess) => {
  const repeated = await callServer(url, "POST", "/byok", {
    body: { name: 'key "3"\n\\', provider: "openai", key: `sk-3-${"x".repeat(30)}` },
    headers: { "idempotency-key": "byok-3" }
  })
  assert.strictEqual(repeated.headers.get("idempotent-replayed"), "true")
  const workspace = (await callServer(url, "GET", "/workspaces/default")).json.data
  const get = async (path: string) => (await callServer(url, "GET", path)).json.data
  return {
    repeated: repeated.json,
    workspace,
    byok: await get("/byok"),
    destinations: await get("/observability/destinations"),
    preset: await get("/presets/kept"),
    usage: (
      await callServer(url, "POST", "/analytics/query", {
        body: {
          metrics: ["request_count", "tokens_total", "credits_usage"],
          granularity: "week",
          dimensions: ["model"]
        }
      })
    ).json.data.data
  }
}

const rowsOf = (url: string, table: string) =>
  Effect.promise(async () => Number((await execute(url, `select count(*) as count from ${table}`))[0]?.["count"]))

/** An embedded installation that was filled and stopped, and what a client saw of it. Made once; each test has a copy. */
const original = Effect.gen(function* () {
  const directory = join(yield* temporaryDirectory, "data")
  const running = yield* server({ dataDirectory: directory, environment: { DATABASE_URL: "" } })
  yield* Effect.promise(() => fill(running))
  const seen = yield* Effect.promise(() => view(running))
  yield* Effect.promise(running.stop)
  return { directory, seen }
})

let made: Effect.Success<typeof original>
const scope = Scope.makeUnsafe()
beforeAll(async () => {
  made = await Effect.runPromise(Scope.provide(original, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const stopped = Effect.gen(function* () {
  const directory = join(yield* temporaryDirectory, "data")
  yield* Effect.promise(() => cp(made.directory, directory, { recursive: true }))
  return { directory, seen: made.seen, environment: { GATEWARDEN_DATA_DIR: directory } }
})

const installation = Effect.gen(function* () {
  const found = yield* stopped
  const running = yield* server({ dataDirectory: found.directory, environment: { DATABASE_URL: "" } })
  return { ...found, running }
})

const keyringIn = (directory: string) =>
  Effect.promise(async () => (await readFile(join(directory, "keyring"), "utf8")).trim())

const fileBytes = (url: string) =>
  Effect.promise(async () => {
    const rows = await execute(url, "select bytes from gatewarden_file_content order by file_id, position")
    return Buffer.concat(rows.map(({ bytes }) => bytes as Uint8Array))
  })

describe("gatewarden move", () => {
  it.live("takes everything to PostgreSQL, verified, and leaves the source marked", () =>
    Effect.gen(function* () {
      const { directory, running, seen, environment } = yield* installation
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const held = yield* run(["move", "--to", url], environment)
      assert.strictEqual(held.code, 75, held.stderr)
      yield* Effect.promise(running.stop)

      const before = yield* Effect.promise(() => readdir(directory, { recursive: true }))
      const moved = yield* run(["move", "--to", url, "--json"], environment)
      assert.strictEqual(moved.code, 0, moved.stderr)
      const summary = JSON.parse(moved.stdout)
      assert.strictEqual(summary.tables.gatewarden_usage_event.rows, 500)
      // In pieces of 256 KiB.
      assert.strictEqual(summary.tables.gatewarden_file_content.rows, 6)
      // Five keys, as many answers, one destination.
      assert.strictEqual(summary.secrets, 11)
      assert.include(moved.stderr, `GATEWARDEN_KEYRING_FILE=${join(directory, "keyring")}`)
      const after = yield* Effect.promise(() => readdir(directory, { recursive: true }))
      assert.deepStrictEqual(
        after.filter((name) => !before.includes(name) && !name.startsWith("database")),
        ["moved.json"]
      )
      assert.isTrue((yield* fileBytes(url)).equals(content))

      const there = yield* server({
        environment: { DATABASE_URL: url, GATEWARDEN_KEYRING: yield* keyringIn(directory) }
      })
      assert.deepStrictEqual(yield* Effect.promise(() => view(there)), seen)
      // Triggers are as they were: a late event is counted.
      const late = {
        id: "late",
        created_at: new Date(Date.now() - 86_400_000).toISOString(),
        model: "a/b",
        provider: "x",
        prompt_tokens: 1,
        completion_tokens: 1,
        cost_usd: 0
      }
      const recorded = yield* Effect.promise(() =>
        callServer(there.url, "POST", "/gateway/usage-events", { body: { events: [late] } })
      )
      assert.deepStrictEqual(recorded.json.data, { accepted: 1, duplicates: 0 })
      const disabled = yield* Effect.promise(() => execute(url, "select tgname from pg_trigger where tgenabled = 'D'"))
      assert.lengthOf(disabled, 0)

      const again = yield* run(["move", "--to", url], environment)
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "is not empty")
      const serve = yield* run(["serve"], { ...environment, PORT: "0" })
      assert.strictEqual(serve.code, 78)
      assert.include(serve.stderr, "was moved to postgres://")
      assert.strictEqual((yield* run(["keys", "list"], environment)).code, 78)
      yield* Effect.promise(() => rm(join(directory, "moved.json")))
      const back = yield* server({ dataDirectory: directory, environment: { DATABASE_URL: "" } })
      assert.deepStrictEqual(yield* Effect.promise(() => view(back)), seen)
    })
  )

  it.live("leaves nothing when it is killed, and may be repeated", () =>
    Effect.gen(function* () {
      const { seen, directory, environment } = yield* stopped
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      // The load stops at this gate until the process is dead.
      yield* Effect.promise(() => gatewarden(["migrate"], { DATABASE_URL: url, GATEWARDEN_KEYRING: other }))
      // Triggers are off during a load, constraints are not.
      yield* Effect.promise(() =>
        execute(
          url,
          `create function slow_gate(text) returns boolean language plpgsql volatile as $$ begin perform pg_sleep(600); return true; end $$`,
          "alter table gatewarden_usage_event add constraint gate check (slow_gate(id))"
        )
      )
      const child = spawn(process.execPath, [commandLine, "move", "--to", url], {
        env: { PATH: process.env["PATH"] ?? "", ...environment },
        stdio: "ignore"
      })
      const ended = once(child, "close")
      yield* Effect.promise(() =>
        eventually("the load at the gate", async () => {
          const waiting = await execute(
            url,
            "select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
          )
          return waiting.length > 0 ? true : undefined
        })
      )
      child.kill("SIGKILL")
      yield* Effect.promise(() => ended)
      yield* Effect.promise(() =>
        execute(
          url,
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
          "alter table gatewarden_usage_event drop constraint gate"
        )
      )
      assert.strictEqual(yield* rowsOf(url, "gatewarden_byok_credential"), 0)
      const moved = yield* run(["move", "--to", url], environment)
      assert.strictEqual(moved.code, 0, moved.stderr)
      const there = yield* server({
        environment: { DATABASE_URL: url, GATEWARDEN_KEYRING: yield* keyringIn(directory) }
      })
      assert.deepStrictEqual(yield* Effect.promise(() => view(there)), seen)
    })
  )

  it.live("keeps nothing when the keyring does not open what is moved", () =>
    Effect.gen(function* () {
      const { environment } = yield* stopped
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const refused = yield* run(["move", "--to", url], { ...environment, GATEWARDEN_KEYRING: other })
      assert.strictEqual(refused.code, 78, refused.stderr)
      assert.include(refused.stderr, "11 secrets do not open with this keyring (sealed by k1)")
      assert.strictEqual(yield* rowsOf(url, "gatewarden_usage_event"), 0)
      for (const to of ["mysql://x", "memory:"])
        assert.strictEqual((yield* run(["move", "--to", to], environment)).code, 2, to)
      assert.strictEqual((yield* run(["move", "--to", url], { DATABASE_URL: url, GATEWARDEN_KEYRING: other })).code, 2)
    })
  )
})

describe("gatewarden backup and restore", () => {
  it.live("make the same installation again, embedded to PostgreSQL and back", () =>
    Effect.gen(function* () {
      const { directory, running, seen, environment } = yield* installation
      const place = yield* temporaryDirectory
      const [first, second, third] = [join(place, "first"), join(place, "second"), join(place, "third")]
      // Through the server that holds the store.
      const made = yield* run(["backup", first, "--include-keyring"], environment)
      assert.strictEqual(made.code, 0, made.stderr)
      assert.strictEqual((yield* run(["backup", first], environment)).code, 1)
      // The server has the keyring that it was started with, and not this one.
      const foreign = yield* run(["backup", join(place, "apart"), "--include-keyring"], {
        ...environment,
        GATEWARDEN_KEYRING: other
      })
      assert.strictEqual(foreign.code, 78)
      assert.include(foreign.stderr, "The keyring does not open this backup")
      assert.notInclude(yield* Effect.promise(() => readdir(join(place, "apart"))), "keyring")
      const plain = yield* run(["backup", second], environment)
      assert.include(plain.stderr, "the keys k1 are not in it")
      assert.notInclude(yield* Effect.promise(() => readdir(second)), "keyring")
      for (const name of yield* Effect.promise(() => readdir(first)))
        assert.strictEqual(
          ((yield* Effect.promise(() => stat(join(first, name)))).mode & 0o777).toString(8),
          "600",
          name
        )
      assert.strictEqual((yield* Effect.promise(() => stat(first))).mode & 0o77, 0)
      const keyring = yield* keyringIn(directory)
      assert.strictEqual((yield* Effect.promise(() => readFile(join(first, "keyring"), "utf8"))).trim(), keyring)
      const secret = keyring.split(":")[1] ?? ""
      for (const name of yield* Effect.promise(() => readdir(second))) {
        const bytes = yield* Effect.promise(() => readFile(join(second, name)))
        const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1")
        for (const piece of [secret.slice(0, 12), `sk-3-${"x".repeat(8)}`, "abcdefghijklmnop"])
          assert.notInclude(text, piece, name)
      }
      assert.strictEqual((yield* run(["restore", first], environment)).code, 75)
      yield* Effect.promise(running.stop)

      // Into PostgreSQL, with the keyring that opens it and no other.
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const wrong = yield* run(["restore", second], { DATABASE_URL: url, GATEWARDEN_KEYRING: other })
      assert.strictEqual(wrong.code, 78)
      assert.include(wrong.stderr, 'made with the key "k1"')
      const postgres = { DATABASE_URL: url, GATEWARDEN_KEYRING: keyring }
      const restored = yield* run(["restore", second, "--json"], postgres)
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual(JSON.parse(restored.stdout).secrets, 11)
      const onPostgres = yield* server({ environment: postgres })
      assert.deepStrictEqual(yield* Effect.promise(() => view(onPostgres)), seen)
      assert.isTrue((yield* fileBytes(url)).equals(content))
      const full = yield* run(["restore", second], postgres)
      assert.strictEqual(full.code, 1)
      assert.include(full.stderr, "is not empty")

      // From PostgreSQL, which is served meanwhile, into an embedded store that takes the keyring from the backup.
      assert.strictEqual((yield* run(["backup", third, "--include-keyring"], postgres)).code, 0)
      const fresh = join(place, "data")
      const again = yield* run(["restore", third], { GATEWARDEN_DATA_DIR: fresh })
      assert.strictEqual(again.code, 0, again.stderr)
      const embedded = yield* server({ dataDirectory: fresh, environment: { DATABASE_URL: "" } })
      assert.deepStrictEqual(yield* Effect.promise(() => view(embedded)), seen)
      const [file = ""] = yield* Effect.promise(() => readdir(join(fresh, "files")))
      assert.isTrue((yield* Effect.promise(() => readFile(join(fresh, "files", file)))).equals(content))
    })
  )

  it.live("take over a backup that the version before has made of a whole schema", () =>
    Effect.gen(function* () {
      const { environment, directory } = yield* stopped
      const whole = join(yield* temporaryDirectory, "whole")
      assert.strictEqual((yield* run(["backup", whole], environment)).code, 0)
      const path = join(whole, "manifest.json")
      const { tables, ...manifest } = JSON.parse(yield* Effect.promise(() => readFile(path, "utf8")))
      // What migrations after the baseline have added.
      const known = tables
        .filter(({ name }: { name: string }) => name !== "gatewarden_background_job")
        .map(({ columns, ...table }: { columns: readonly string[] }) => ({
          ...table,
          columns: columns.filter((column) => column !== "used_at")
        }))
      const written = (migrations: readonly unknown[]) =>
        Effect.promise(() => writeFile(path, JSON.stringify({ ...manifest, tables: known, migrations })))
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const postgres = { DATABASE_URL: url, GATEWARDEN_KEYRING: yield* keyringIn(directory) }
      yield* written(formerMigrations.slice(0, -1))
      const partial = yield* run(["restore", whole], postgres)
      assert.strictEqual(partial.code, 78)
      assert.include(partial.stderr, "is of another version")
      yield* written(formerMigrations)
      const restored = yield* run(["restore", whole], postgres)
      assert.strictEqual(restored.code, 0, restored.stderr)
      const onPostgres = yield* server({ environment: postgres })
      assert.deepStrictEqual(yield* Effect.promise(() => view(onPostgres)), made.seen)
    })
  )

  it.live("refuse what is damaged, incomplete, of another version, or without a keyring", () =>
    Effect.gen(function* () {
      const { environment, directory } = yield* stopped
      const place = yield* temporaryDirectory
      const whole = join(place, "whole")
      assert.strictEqual((yield* run(["backup", whole], environment)).code, 0)
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const postgres = { DATABASE_URL: url, GATEWARDEN_KEYRING: yield* keyringIn(directory) }
      const events = "gatewarden_usage_event.ndjson.gz"
      const manifest = JSON.parse(yield* Effect.promise(() => readFile(join(whole, "manifest.json"), "utf8")))
      const lines = gunzipSync(yield* Effect.promise(() => readFile(join(whole, events)))).toString()
      const spoiled: Readonly<Record<string, (copy: string) => Promise<void>>> = {
        "is not what the manifest says": (copy) =>
          writeFile(
            join(copy, events),
            gzipSync(lines.replace("0.123456789", "0.123456780").replace("123456789", "123456780"))
          ),
        "cannot be read (Z_": (copy) => writeFile(join(copy, events), gzipSync(lines).subarray(0, 500)),
        "cannot be read (ENOENT)": (copy) => rm(join(copy, events)),
        "is damaged: it is not JSON": (copy) => writeFile(join(copy, "manifest.json"), "{"),
        "is not understood": (copy) =>
          writeFile(join(copy, "manifest.json"), JSON.stringify({ ...manifest, format: "x" })),
        "is of another version: migration 999": (copy) =>
          writeFile(
            join(copy, "manifest.json"),
            JSON.stringify({
              ...manifest,
              migrations: [...manifest.migrations, { id: 999, name: "future", checksum: "" }]
            })
          )
      }
      for (const [said, spoil] of Object.entries(spoiled)) {
        const copy = join(place, said.replace(/\W/g, ""))
        yield* Effect.promise(async () => {
          await mkdir(copy)
          for (const name of await readdir(whole)) await copyFile(join(whole, name), join(copy, name))
          await spoil(copy)
        })
        const refused = yield* run(["restore", copy], postgres)
        assert.isAbove(refused.code ?? 0, 0, said)
        assert.include(refused.stderr, said)
      }
      assert.deepStrictEqual(
        yield* Effect.promise(() => execute(url, "select to_regclass('gatewarden_migration') as made")),
        [{ made: null }]
      )
      const missing = yield* run(["restore", whole], { GATEWARDEN_DATA_DIR: join(place, "nobody") })
      assert.strictEqual(missing.code, 78)
      assert.include(missing.stderr, "There is no keyring")
      assert.strictEqual((yield* run(["restore", whole], postgres)).code, 0)
      assert.strictEqual((yield* run(["backup", join(place, "x")], { DATABASE_URL: "memory:" })).code, 69)
    })
  )
})
