/** `move`, `backup` and `restore` that are killed, or given what does not fit. Rule: operating#moving-an-installation. */
import { assert, describe, it } from "@effect/vitest"
import { layerVault, parseKeyring } from "@gatewarden/core/internal"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { copyFile, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { commandLine } from "@gatewarden/testkit/server/serverProcess"
import { createDatabase, execute } from "@gatewarden/testkit/stores/postgresServer"
import { sealManifest } from "../../node/src/backup/Manifest.ts"
import { layerPlatform } from "../../node/src/platform/layerPlatform.ts"
import { filledInstallation, keyringIn, other, rowsOf, view } from "./filledInstallation.ts"
import { gatewarden, gatewardenHere, keyring, run, server, temporaryDirectory } from "./gatewarden.ts"

const { stopped } = filledInstallation()

interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

/** Columns with a default, which stand for columns that a later migration added. */
const added = ["presets_designated_by", "replays", "is_charged_on_expiry"]

/** Writes the file of a table as a version has written it that did not know those columns. */
const withoutAdded = async (backup: string, { name, columns }: Table) => {
  const path = join(backup, `${name}.ndjson.gz`)
  const isKept = columns.map((column) => !added.includes(column))
  const lines = gunzipSync(await readFile(path))
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line): readonly (string | null)[] => JSON.parse(line))
    .map((row) => `${JSON.stringify(row.filter((_, index) => isKept[index]))}\n`)
  const text = lines.join("")
  await writeFile(path, gzipSync(text))
  const sha256 = createHash("sha256").update(text).digest("hex")
  return { name, columns: columns.filter((_, index) => isKept[index]), rows: lines.length, sha256 }
}

describe("gatewarden move", () => {
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
      assert.include(refused.stderr, "The keyring does not decrypt 12 secrets (encrypted by k1)")
      assert.strictEqual(yield* rowsOf(url, "gatewarden_usage_event"), 0)
      for (const to of ["mysql://x", "memory:"])
        assert.strictEqual((yield* run(["move", "--to", to], environment)).code, 2, to)
      assert.strictEqual((yield* run(["move", "--to", url], { DATABASE_URL: url, GATEWARDEN_KEYRING: other })).code, 78)
    })
  )
})

describe("gatewarden backup and restore", () => {
  it.live("fill columns that a backup lacks with their defaults, and refuse migrations that they do not know", () =>
    Effect.gen(function* () {
      const { environment, directory, seen } = yield* stopped
      const whole = join(yield* temporaryDirectory, "whole")
      assert.strictEqual((yield* run(["backup", whole], environment)).code, 0)
      const path = join(whole, "manifest.json")
      const { tables, migrations, ...manifest } = JSON.parse(yield* Effect.promise(() => readFile(path, "utf8")))
      const known = yield* Effect.promise(() => Promise.all(tables.map((table: Table) => withoutAdded(whole, table))))
      const parsed = parseKeyring(yield* keyringIn(directory))
      if ("problem" in parsed) return assert.fail(parsed.problem)
      const written = (list: readonly object[]) =>
        sealManifest({ ...manifest, tables: known, migrations: list }).pipe(
          Effect.flatMap((sealed) => Effect.promise(() => writeFile(path, JSON.stringify(sealed)))),
          Effect.provide(layerVault(parsed.keyring).pipe(Layer.provide(layerPlatform)))
        )
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const postgres = { DATABASE_URL: url, GATEWARDEN_KEYRING: yield* keyringIn(directory) }
      yield* written([{ ...migrations[0], id: 40 }])
      const unreleased = yield* run(["restore", whole], postgres)
      assert.strictEqual(unreleased.code, 78)
      assert.include(unreleased.stderr, "is of another version: migration 40 (baseline)")
      yield* written(migrations)
      const restored = yield* run(["restore", whole], postgres)
      assert.strictEqual(restored.code, 0, restored.stderr)
      const onPostgres = yield* server({ environment: postgres })
      assert.deepStrictEqual(yield* Effect.promise(() => view(onPostgres)), seen)
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
        // A row that was added, with a sum that fits.
        "was altered after the backup was written": async (copy) => {
          const more = `${lines}${lines.split("\n")[0]}\n`
          const altered = structuredClone(manifest)
          const table = altered.tables.find(({ name }: Table) => name === "gatewarden_usage_event")
          Object.assign(table, { rows: table.rows + 1, sha256: createHash("sha256").update(more).digest("hex") })
          await writeFile(join(copy, events), gzipSync(more))
          await writeFile(join(copy, "manifest.json"), JSON.stringify(altered))
        },
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
      assert.strictEqual((yield* run(["backup", join(place, "x")], { DATABASE_URL: "memory:" })).code, 78)
    })
  )
})

describe("contents of files that are missing or have another size", () => {
  const manifestOf = (backup: string) =>
    Effect.promise(async () => JSON.parse(await readFile(join(backup, "manifest.json"), "utf8")))

  const accountIn = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
    const made = yield* gatewardenHere(["accounts", "create", "files", "--json"], environment)
    assert.strictEqual(made.code, 0, made.stderr)
    return JSON.parse(made.stdout)
  })

  it.live("end a backup and a move, unless the backup is to be without them", () =>
    Effect.gen(function* () {
      const { environment, directory } = yield* stopped
      const place = yield* temporaryDirectory
      const [id = ""] = yield* Effect.promise(() => readdir(join(directory, "files")))
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const postgres = { DATABASE_URL: url, GATEWARDEN_KEYRING: yield* keyringIn(directory) }
      const spoil = [() => truncate(join(directory, "files", id), 100), () => rm(join(directory, "files", id))]
      for (const [number, damage] of spoil.entries()) {
        yield* Effect.promise(damage)
        const refused = yield* gatewardenHere(["backup", join(place, "refused")], environment)
        assert.strictEqual(refused.code, 1, refused.stderr)
        assert.include(refused.stderr, `The contents of 1 files are missing or have another size: ${id}`)
        assert.deepStrictEqual(
          yield* Effect.promise(() => readdir(place)),
          number === 0 ? [] : ["backup0"],
          "leaves nothing"
        )
        const unmoved = yield* gatewardenHere(["move", "--to", url], environment)
        assert.strictEqual(unmoved.code, 1, unmoved.stderr)
        assert.include(unmoved.stderr, `: ${id}`)
        assert.isFalse(existsSync(join(directory, "moved.json")))
        assert.strictEqual(yield* rowsOf(url, "gatewarden_file"), 0)

        const backup = join(place, `backup${number}`)
        const allowed = yield* gatewardenHere(["backup", backup, "--allow-missing-contents"], environment)
        assert.strictEqual(allowed.code, 0, allowed.stderr)
        assert.include(allowed.stderr, `: ${id}`)
        assert.deepStrictEqual((yield* manifestOf(backup)).incomplete_contents, [id])
      }
      const restored = yield* gatewardenHere(["restore", join(place, "backup0"), "--json"], postgres)
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.include(restored.stderr, `: ${id}`)
      assert.deepStrictEqual(JSON.parse(restored.stdout).incomplete_contents, [id])
      assert.strictEqual(yield* rowsOf(url, "gatewarden_usage_event"), 500)

      // As a version has written it that compared no sizes.
      const parsed = parseKeyring(postgres.GATEWARDEN_KEYRING)
      if ("problem" in parsed) return assert.fail(parsed.problem)
      const { incomplete_contents: _, ...unlisted } = yield* manifestOf(join(place, "backup1"))
      const sealed = yield* sealManifest(unlisted).pipe(
        Effect.provide(layerVault(parsed.keyring).pipe(Layer.provide(layerPlatform)))
      )
      yield* Effect.promise(() => writeFile(join(place, "backup1", "manifest.json"), JSON.stringify(sealed)))
      const fresh = {
        ...environment,
        GATEWARDEN_DATA_DIR: join(place, "data"),
        GATEWARDEN_KEYRING: postgres.GATEWARDEN_KEYRING
      }
      const partly = yield* gatewardenHere(["restore", join(place, "backup1")], fresh)
      assert.strictEqual(partly.code, 1, partly.stderr)
      assert.include(partly.stderr, "The store is restored, but the manifest does not list 1 of these files")
      assert.strictEqual((yield* gatewardenHere(["keys", "list"], fresh)).code, 0)
    })
  )

  it.live("are not those of files that were deleted while the bucket was read", () =>
    Effect.gen(function* () {
      const place = yield* temporaryDirectory
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      // An object store with one content, which deletes the other file as soon as it is read.
      let deleting = true
      const bucket = createServer((request, response) => {
        const isKept = request.url === "/bucket/one/kept"
        const deleted = deleting
          ? execute(url, "update gatewarden_file set state = 'leaving' where id = 'gone'")
          : Promise.resolve()
        void deleted.then(() => response.writeHead(isKept ? 200 : 404).end(isKept ? "hello" : "<Code>NoSuchKey</Code>"))
      }).listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => bucket.close()))
      yield* Effect.promise(() => once(bucket, "listening"))
      const address = bucket.address()
      const environment = {
        DATABASE_URL: url,
        GATEWARDEN_KEYRING: keyring,
        GATEWARDEN_FILE_STORAGE: "s3://bucket/one",
        GATEWARDEN_S3_ENDPOINT: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
        GATEWARDEN_S3_ACCESS_KEY_ID: "id",
        GATEWARDEN_S3_SECRET_ACCESS_KEY: "secret"
      }
      const account = yield* accountIn(environment)
      yield* Effect.promise(() =>
        execute(
          url,
          `insert into gatewarden_file (id, account_id, workspace_id, state, changed_at, filename, mime_type, size_bytes, created_at)
            select id, '${account.id}', '${account.workspace_id}', 'stored', now(), 'a.txt', 'text/plain', 5, now()
            from unnest(array['gone', 'kept']) as id`
        )
      )
      const whole = yield* gatewardenHere(["backup", join(place, "whole")], environment)
      assert.strictEqual(whole.code, 0, whole.stderr)
      assert.deepStrictEqual((yield* manifestOf(join(place, "whole"))).incomplete_contents, ["gone"])
      deleting = false
      // A wrong prefix has none of the objects, and without the variables the contents are looked for in the database.
      const { DATABASE_URL, GATEWARDEN_KEYRING } = environment
      const astray = [
        { ...environment, GATEWARDEN_FILE_STORAGE: "s3://bucket/other" },
        { DATABASE_URL, GATEWARDEN_KEYRING }
      ]
      for (const wrong of astray) {
        const refused = yield* gatewardenHere(["backup", join(place, "refused")], wrong)
        assert.strictEqual(refused.code, 1, refused.stderr)
        assert.include(refused.stderr, ": kept")
      }
      const target = {
        DATABASE_URL: yield* Effect.promise(() => createDatabase(inject("postgres"))),
        GATEWARDEN_KEYRING
      }
      const restored = yield* gatewardenHere(["restore", join(place, "whole")], target)
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.include(restored.stderr, ": gone")
    })
  )

  it.live("are not those of uploads that arrive, nor of files that leave", () =>
    Effect.gen(function* () {
      const place = yield* temporaryDirectory
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      const environment = { DATABASE_URL: url, GATEWARDEN_KEYRING: keyring }
      const account = yield* accountIn(environment)
      yield* Effect.promise(() =>
        execute(
          url,
          `with files as (
            insert into gatewarden_file (id, account_id, workspace_id, state, changed_at, filename, mime_type, size_bytes, created_at)
            select state, '${account.id}', '${account.workspace_id}', state, now(), 'a.txt', 'text/plain', 5, now()
            from unnest(array['stored', 'arriving', 'leaving']) as state returning id
          ) insert into gatewarden_file_content (file_id, position, bytes) select id, 0, 'hello' from files`
        )
      )
      const backup = join(place, "backup")
      assert.strictEqual((yield* gatewardenHere(["backup", backup], environment)).code, 0)
      const targets = [
        { DATABASE_URL: yield* Effect.promise(() => createDatabase(inject("postgres"))) },
        { GATEWARDEN_DATA_DIR: join(place, "data") }
      ]
      for (const target of targets) {
        const restored = yield* gatewardenHere(["restore", backup, "--json"], {
          ...target,
          GATEWARDEN_KEYRING: keyring
        })
        assert.strictEqual(restored.code, 0, restored.stderr)
        assert.strictEqual(JSON.parse(restored.stdout).tables.gatewarden_file_content.rows, 1)
      }
    })
  )
})
