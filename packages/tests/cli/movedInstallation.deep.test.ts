/** `move`, `backup` and `restore`, with real servers on both sides. Rule: operating#moving-an-installation. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdir, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { inject } from "vitest"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { createDatabase, execute } from "@gatewarden/testkit/stores/postgresServer"
import { content, fileBytes, filledInstallation, keyringIn, other, view } from "./filledInstallation.ts"
import { gatewardenHere, run, server, temporaryDirectory } from "./gatewarden.ts"

const { installation } = filledInstallation()

describe("gatewarden move", () => {
  it.live("takes everything to PostgreSQL, verified, and leaves the source marked", () =>
    Effect.gen(function* () {
      const { directory, running, seen, environment } = yield* installation
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const held = yield* gatewardenHere(["move", "--to", url], environment)
      assert.strictEqual(held.code, 75, held.stderr)
      yield* Effect.promise(running.stop)

      const before = yield* Effect.promise(() => readdir(directory, { recursive: true }))
      const moved = yield* run(["move", "--to", url, "--json"], environment)
      assert.strictEqual(moved.code, 0, moved.stderr)
      const summary = JSON.parse(moved.stdout)
      assert.strictEqual(summary.tables.gatewarden_usage_event.rows, 500)
      // In pieces of 256 KiB.
      assert.strictEqual(summary.tables.gatewarden_file_content.rows, 6)
      // Five keys, as many answers, one destination, the signature of the audit log.
      assert.strictEqual(summary.secrets, 12)
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

      const again = yield* gatewardenHere(["move", "--to", url], environment)
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "is not empty")
      const serve = yield* run(["serve"], { ...environment, PORT: "0" })
      assert.strictEqual(serve.code, 78)
      assert.include(serve.stderr, "was moved to postgres://")
      assert.strictEqual((yield* gatewardenHere(["keys", "list"], environment)).code, 78)
      yield* Effect.promise(() => rm(join(directory, "moved.json")))
      const back = yield* server({ dataDirectory: directory, environment: { DATABASE_URL: "" } })
      assert.deepStrictEqual(yield* Effect.promise(() => view(back)), seen)
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
      assert.strictEqual((yield* gatewardenHere(["backup", first], environment)).code, 1)
      // The server has the keyring that it was started with, and not this one.
      const foreign = yield* gatewardenHere(["backup", join(place, "apart"), "--include-keyring"], {
        ...environment,
        GATEWARDEN_KEYRING: other
      })
      assert.strictEqual(foreign.code, 78)
      assert.include(foreign.stderr, "The keyring does not open this backup")
      assert.notInclude(yield* Effect.promise(() => readdir(join(place, "apart"))), "keyring")
      const plain = yield* gatewardenHere(["backup", second], environment)
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
      assert.strictEqual((yield* gatewardenHere(["restore", first], environment)).code, 75)
      yield* Effect.promise(running.stop)

      // Into PostgreSQL, with the keyring that opens it and no other.
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const wrong = yield* gatewardenHere(["restore", second], { DATABASE_URL: url, GATEWARDEN_KEYRING: other })
      assert.strictEqual(wrong.code, 78)
      assert.include(wrong.stderr, 'made with the key "k1"')
      const postgres = { DATABASE_URL: url, GATEWARDEN_KEYRING: keyring }
      const restored = yield* run(["restore", second, "--json"], postgres)
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual(JSON.parse(restored.stdout).secrets, 12)
      const onPostgres = yield* server({ environment: postgres })
      // The audit log comes back with its chain.
      const audited = yield* gatewardenHere(["audit", "verify", "--json"], postgres)
      assert.strictEqual(audited.code, 0, audited.stderr)
      assert.isAbove(JSON.parse(audited.stdout).verified, 5)
      assert.deepStrictEqual(yield* Effect.promise(() => view(onPostgres)), seen)
      assert.isTrue((yield* fileBytes(url)).equals(content))
      const full = yield* gatewardenHere(["restore", second], postgres)
      assert.strictEqual(full.code, 1)
      assert.include(full.stderr, "is not empty")

      // From PostgreSQL, which is served meanwhile, into an embedded store that takes the keyring from the backup.
      assert.strictEqual((yield* gatewardenHere(["backup", third, "--include-keyring"], postgres)).code, 0)
      const fresh = join(place, "data")
      const again = yield* gatewardenHere(["restore", third], { GATEWARDEN_DATA_DIR: fresh })
      assert.strictEqual(again.code, 0, again.stderr)
      const embedded = yield* server({ dataDirectory: fresh, environment: { DATABASE_URL: "" } })
      assert.deepStrictEqual(yield* Effect.promise(() => view(embedded)), seen)
      const [file = ""] = yield* Effect.promise(() => readdir(join(fresh, "files")))
      assert.isTrue((yield* Effect.promise(() => readFile(join(fresh, "files", file)))).equals(content))
    })
  )
})
