/** `gatewarden doctor` on set-ups that are broken on purpose: each is found, with what mends it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { inject } from "vitest"
import { clickhouseDatabase } from "@gatewarden/testkit/clickhouse/layerTestClickhouse"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { createDatabase, execute, freePort } from "@gatewarden/testkit/stores/postgresServer"
import { objectStorageAccess, startObjectStorage } from "@gatewarden/testkit/upstream/objectStorage"
import type { Finding } from "../../node/src/doctor/Finding.ts"
import { gatewarden, gatewardenHere, server, temporaryDirectory } from "../cli/gatewarden.ts"

const keyOf = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString("base64")}`
const keyring = keyOf("k1", 7)

const examined = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = yield* gatewardenHere(["doctor", "--json"], { PORT: "0", ...environment })
  const { ok, findings } = JSON.parse(stdout) as { readonly ok: boolean; readonly findings: readonly Finding[] }
  assert.strictEqual(ok, code === 0, stderr)
  assert.strictEqual(
    ok,
    findings.every(({ state }) => state !== "fail")
  )
  for (const { state, mend, detail } of findings) {
    assert.isNotEmpty(detail)
    assert.strictEqual(mend === null, state === "ok", detail)
  }
  return findings
})

/** The one finding of a check that is not fine. */
const bad = (findings: readonly Finding[], check: string): Finding =>
  findings.find((finding) => finding.check === check && finding.state !== "ok") ??
  assert.fail(JSON.stringify(findings, null, 1))

/** A broken set-up in which `check` is as bad as `state`, says `detail` and names `mend`. */
const finds = (
  title: string,
  environment: Effect.Effect<Readonly<Record<string, string>>, never, import("effect").Scope.Scope>,
  [check, state, detail, mend]: readonly [check: string, state: Finding["state"], detail: RegExp, mend: RegExp]
) =>
  it.live(title, () =>
    Effect.gen(function* () {
      const finding = bad(yield* examined(yield* environment), check)
      assert.strictEqual(finding.state, state, finding.detail)
      assert.match(finding.detail, detail)
      assert.match(finding.mend ?? "", mend)
      assert.notInclude(finding.detail + (finding.mend ?? ""), "s3cret")
    })
  )

const memory = { DATABASE_URL: "memory:" }
const given = (environment: Readonly<Record<string, string>>) => Effect.succeed(environment)

const database = Effect.promise(() => createDatabase(inject("postgres")))
const onDatabase = Effect.map(database, (url) => ({ DATABASE_URL: url, GATEWARDEN_KEYRING: keyring }))

/** A database that a start has migrated and given a management key. */
const installed = Effect.tap(onDatabase, (environment) =>
  Effect.promise(() => gatewarden(["keys", "list"], environment))
)
const brokenBy = (...statements: readonly string[]) =>
  Effect.tap(installed, ({ DATABASE_URL }) => Effect.promise(() => execute(DATABASE_URL, ...statements)))

const at = (url: string, change: (url: URL) => void): string => {
  const changed = new URL(url)
  change(changed)
  return changed.href
}

const directory = Effect.map(temporaryDirectory, (path) => join(path, "data"))
const inDirectory = (make: (path: string) => Promise<unknown>) =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* Effect.promise(async () => {
      await mkdir(path, { mode: 0o700 })
      await make(path)
    })
    return { GATEWARDEN_DATA_DIR: path }
  })

const bucketAt = (endpoint: string) =>
  given({
    ...memory,
    GATEWARDEN_FILE_STORAGE: `s3://${objectStorageAccess.bucket}/files`,
    GATEWARDEN_S3_ENDPOINT: endpoint,
    GATEWARDEN_S3_REGION: objectStorageAccess.region,
    GATEWARDEN_S3_ACCESS_KEY_ID: objectStorageAccess.accessKeyId,
    GATEWARDEN_S3_SECRET_ACCESS_KEY: objectStorageAccess.secretAccessKey
  })
const inBucket = Effect.flatMap(startObjectStorage, ({ endpoint }) => bucketAt(endpoint))

describe("gatewarden doctor finds", () => {
  finds(
    "a ClickHouse that does not answer",
    given({ ...memory, GATEWARDEN_CLICKHOUSE_URL: "http://someone:s3cret@127.0.0.1:1/usage" }),
    ["ClickHouse", "fail", /does not answer/, /GATEWARDEN_CLICKHOUSE_URL/]
  )
  finds(
    "a ClickHouse without tables",
    Effect.map(clickhouseDatabase, (url) => ({ ...memory, GATEWARDEN_CLICKHOUSE_URL: url })),
    ["ClickHouse", "warn", /columns are missing, such as gatewarden_usage_event\.account_id/, /gatewarden migrate/]
  )
  finds(
    "usage that waits for a ClickHouse that nobody names",
    Effect.tap(
      Effect.map(
        Effect.promise(() => createMigratedDatabase(inject("postgres"))),
        (url) => ({ DATABASE_URL: url, GATEWARDEN_KEYRING: keyring })
      ),
      ({ DATABASE_URL }) =>
        Effect.promise(() => execute(DATABASE_URL, "insert into gatewarden_usage_outlet (opened_at) values (now())"))
    ),
    ["usage to send", "warn", /0 events wait for a ClickHouse, and GATEWARDEN_CLICKHOUSE_URL is not set/, /truncate/]
  )
  finds("a variable that is misspelt", given({ ...memory, GATEWARDEN_WIER: "spec" }), [
    "configuration",
    "warn",
    /GATEWARDEN_WIER is not/,
    /rename GATEWARDEN_WIER to GATEWARDEN_WIRE/
  ])
  finds("a value that is none", given({ ...memory, GATEWARDEN_WIRE: "soap" }), [
    "configuration",
    "fail",
    /"soap"/,
    /set GATEWARDEN_WIRE to one of "auto"/
  ])
  finds("a bucket that does not answer", bucketAt("http://127.0.0.1:1"), [
    "file storage",
    "fail",
    /s3:\/\/gatewarden-files\/files\/ at http:\/\/127\.0\.0\.1:1 does not answer/,
    /GATEWARDEN_S3_ENDPOINT/
  ])
  finds(
    "a bucket that there is not",
    Effect.map(inBucket, (environment) => ({ ...environment, GATEWARDEN_FILE_STORAGE: "s3://another-bucket" })),
    ["file storage", "fail", /NoSuchBucket \(404\)/, /make the bucket/]
  )
  finds(
    "a wrong secret of a bucket",
    Effect.map(inBucket, (environment) => ({ ...environment, GATEWARDEN_S3_SECRET_ACCESS_KEY: "s3cret" })),
    ["file storage", "fail", /SignatureDoesNotMatch \(403\)/, /GATEWARDEN_S3_SECRET_ACCESS_KEY/]
  )
  finds("regions by host that are malformed", given({ ...memory, GATEWARDEN_REGION_HOSTS: "eu=mars" }), [
    "configuration",
    "fail",
    /invalid entry/,
    /eu\.example\.com=europe/
  ])
  finds(
    "a missing keyring",
    Effect.map(database, (url) => ({ DATABASE_URL: url })),
    ["configuration", "fail", /GATEWARDEN_KEYRING: missing/, /openssl rand/]
  )
  finds("a malformed keyring", given({ ...memory, GATEWARDEN_KEYRING: "k1:s3cret" }), [
    "configuration",
    "fail",
    /not the base64/,
    /openssl rand/
  ])
  finds("a keyring with an id twice", given({ ...memory, GATEWARDEN_KEYRING: `${keyring},${keyring}` }), [
    "configuration",
    "fail",
    /repeats the id "k1"/,
    /openssl rand/
  ])
  finds(
    "PG variables without a URL",
    Effect.map(directory, (path) => ({ PGHOST: "db", GATEWARDEN_DATA_DIR: path })),
    ["configuration", "warn", /PGHOST set, but DATABASE_URL is not/, /export DATABASE_URL/]
  )
  finds(
    "private networks behind a public address",
    given({ ...memory, HOST: "0.0.0.0", GATEWARDEN_ALLOW_PRIVATE_NETWORKS: "1" }),
    ["private networks", "warn", /0\.0\.0\.0/, /unset/]
  )
  finds("no address by which clients know a server that other machines reach", given({ ...memory, HOST: "0.0.0.0" }), [
    "public address",
    "warn",
    /0\.0\.0\.0 without GATEWARDEN_PUBLIC_URL/,
    /export GATEWARDEN_PUBLIC_URL=/
  ])
  finds(
    "mail whose recipients cannot confirm",
    given({
      ...memory,
      HOST: "127.0.0.1",
      GATEWARDEN_SMTP_URL: "smtp://mail.example.com",
      GATEWARDEN_SMTP_FROM: "alerts@example.com"
    }),
    ["public address", "warn", /so recipients of mail cannot confirm$/, /export GATEWARDEN_PUBLIC_URL=/]
  )
  finds("a proxy that is trusted for nothing", given({ ...memory, GATEWARDEN_TRUST_PROXY: "1" }), [
    "regions",
    "warn",
    /no effect/,
    /unset/
  ])
  finds("a secret file that is not there", given({ ...memory, GATEWARDEN_KEYRING_FILE: "/nowhere/keyring" }), [
    "configuration",
    "fail",
    /cannot be read \(ENOENT\)/,
    /GATEWARDEN_KEYRING_FILE/
  ])
  finds("a store that forgets", given(memory), ["database", "warn", /forgets/, /unset DATABASE_URL/])
  finds(
    "a catalog that is none",
    inDirectory((path) => writeFile(join(path, "c.json"), '{"models":[{}]}')).pipe(
      Effect.map(({ GATEWARDEN_DATA_DIR: path }) => ({ ...memory, GATEWARDEN_CATALOG: join(path, "c.json") }))
    ),
    ["catalog", "fail", /is not usable/, /unset GATEWARDEN_CATALOG/]
  )

  it.live("a port that is taken, and by whom", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const stranger = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const made = createServer((socket) => socket.destroy()).listen(port, "127.0.0.1", () =>
            resume(Effect.succeed(made))
          )
        }),
        (made) => Effect.callback<void>((resume) => void made.close(() => resume(Effect.void)))
      )
      assert.isTrue(stranger.listening)
      const taken = bad(yield* examined({ ...memory, PORT: String(port) }), "address")
      assert.match(taken.detail, /Another program listens/)
      assert.match(taken.mend ?? "", /PORT/)
      const holder = yield* server()
      const ours = yield* examined({ ...memory, PORT: new URL(holder.url).port })
      assert.deepInclude(
        ours.find(({ check }) => check === "address"),
        { state: "ok" }
      )
    })
  )
  finds("an address of another machine", given({ ...memory, HOST: "203.0.113.9" }), [
    "address",
    "fail",
    /EADDRNOTAVAIL/,
    /HOST/
  ])

  finds(
    "a data directory that cannot be made",
    inDirectory((path) => writeFile(join(path, "file"), "")).pipe(
      Effect.map(({ GATEWARDEN_DATA_DIR: path }) => ({ GATEWARDEN_DATA_DIR: join(path, "file", "data") }))
    ),
    ["data directory", "fail", /cannot be written/, /mkdir -p/]
  )
  finds(
    "a keyring that others may read",
    inDirectory(async (path) => {
      await writeFile(join(path, "keyring"), keyring)
      await chmod(join(path, "keyring"), 0o644)
    }),
    ["permissions", "fail", /keyring/, /chmod 600 .*keyring/]
  )
  finds(
    "a directory that others may enter",
    inDirectory((path) => chmod(path, 0o755)),
    ["permissions", "warn", /Others/, /chmod 700/]
  )
  finds(
    "a lock that was left",
    inDirectory((path) => writeFile(join(path, "gatewarden.lock"), "999999999\n\nx\n")),
    ["lock", "warn", /999999999, which is gone/, /takes it over/]
  )
  finds(
    "a directory that another process holds",
    inDirectory(async (path) => {
      await mkdir(join(path, "database"))
      await writeFile(join(path, "keyring"), keyring, { mode: 0o600 })
      await writeFile(join(path, "gatewarden.lock"), `${process.pid}\n\nx\n`)
    }),
    ["database", "fail", /in use by process/, /gatewarden serve/]
  )
  finds(
    "an installation that was moved",
    inDirectory((path) =>
      writeFile(join(path, "moved.json"), '{"to":"postgres://db/x","at":"2026-01-01"}', { mode: 0o600 })
    ),
    ["moved", "fail", /postgres:\/\/db\/x/, /DATABASE_URL/]
  )
  finds(
    "a database without its keyring",
    inDirectory((path) => mkdir(join(path, "database"))),
    ["keyring", "fail", /is missing/, /restore/]
  )
  finds(
    "a keyring file that is spoilt",
    inDirectory(async (path) => {
      await mkdir(join(path, "database"))
      await writeFile(join(path, "keyring"), "k1:s3cret", { mode: 0o600 })
    }),
    ["keyring", "fail", /not usable/, /backup/]
  )

  finds(
    "a database that does not answer",
    given({ DATABASE_URL: "postgres://warden:s3cret@127.0.0.1:1/gate", GATEWARDEN_KEYRING: keyring }),
    ["database", "fail", /does not answer/, /pg_isready/]
  )
  finds(
    "a database that there is not",
    Effect.map(onDatabase, (environment) => ({
      ...environment,
      DATABASE_URL: at(environment.DATABASE_URL, (url) => (url.pathname = "/nowhere"))
    })),
    ["database", "fail", /no such database/, /createdb/]
  )
  finds(
    "a user that there is not",
    Effect.map(onDatabase, (environment) => ({
      ...environment,
      DATABASE_URL: at(environment.DATABASE_URL, (url) => ((url.username = "nobody"), (url.password = "s3cret")))
    })),
    ["database", "fail", /refuses user or password/, /psql/]
  )
  finds("migrations that are to come", onDatabase, ["schema", "warn", /migrations are pending/, /gatewarden migrate/])
  finds("a newer schema", brokenBy("insert into gatewarden_migration values (999, 'future', '', now())"), [
    "schema",
    "fail",
    /newer version.*999 \(future\)/,
    /at least as new/
  ])
  finds("a migration that was changed", brokenBy("update gatewarden_migration set checksum = '' where id = 1"), [
    "schema",
    "fail",
    /another text: 1/,
    /run the version/
  ])
  finds(
    "a function that was changed by hand",
    brokenBy(
      "create or replace function gatewarden_ranking_lock(day date) returns int language sql immutable as 'select 7'"
    ),
    ["functions", "fail", /changed by hand: gatewarden_ranking_lock/, /gatewarden migrate/]
  )
  finds(
    "a function that is to be applied",
    brokenBy("delete from gatewarden_function where name = 'gatewarden_warn'"),
    ["functions", "warn", /1 functions are pending/, /gatewarden migrate/]
  )
  finds("that no management key is left", brokenBy("update gatewarden_api_key set disabled = true"), [
    "management key",
    "fail",
    /No active management key/,
    /keys create --management/
  ])
  const settingOf = (url: string, setting: string) => `alter database ${new URL(url).pathname.slice(1)} set ${setting}`
  finds(
    "a database that takes no writes",
    Effect.tap(installed, ({ DATABASE_URL }) =>
      Effect.promise(() => execute(DATABASE_URL, settingOf(DATABASE_URL, "default_transaction_read_only = on")))
    ),
    ["read only", "fail", /takes no writes/, /name the primary/]
  )
  finds(
    "that no tables can be made",
    Effect.tap(onDatabase, ({ DATABASE_URL }) =>
      Effect.promise(() => execute(DATABASE_URL, settingOf(DATABASE_URL, "search_path = nowhere")))
    ),
    ["privileges", "fail", /may not create tables/, /grant create/]
  )
  finds(
    "text that is not stored as UTF-8",
    Effect.gen(function* () {
      const environment = yield* onDatabase
      const url = environment.DATABASE_URL
      const name = `${new URL(url).pathname.slice(1)}_ascii`
      yield* Effect.promise(async () => {
        const [server] = await execute(url, "select current_setting('server_version_num')::int >= 150000 as providers")
        const provider = server?.["providers"] === true ? "locale_provider libc" : ""
        await execute(
          url,
          `create database ${name} encoding 'SQL_ASCII' ${provider} lc_collate 'C' lc_ctype 'C' template template0`
        )
      })
      return { ...environment, DATABASE_URL: `${url}_ascii` }
    }),
    ["encoding", "fail", /SQL_ASCII/, /UTF8/]
  )
  finds(
    "secrets that the keyring does not open",
    Effect.map(
      Effect.tap(brokenBy(), ({ DATABASE_URL }) =>
        Effect.promise(() =>
          execute(
            DATABASE_URL,
            `insert into gatewarden_idempotency_record (account_id, key_hash, request_hash, token, until, body_hash, status, sealed)
      select id, 'a', 'b', gen_random_uuid(), 1, 'c', 200, '\\x01026b39'::bytea || decode(repeat('00', 40), 'hex') from gatewarden_account`
          )
        )
      ),
      (environment) => environment
    ),
    ["secrets", "fail", /1 of 1 .* encrypted with k9/, /keyring rotate/]
  )
})

describe("gatewarden doctor", () => {
  it.live("finds nothing wrong with a bucket that may be read", () =>
    Effect.gen(function* () {
      const findings = yield* examined(yield* inBucket)
      assert.deepInclude(
        findings.find(({ check }) => check === "file storage"),
        { state: "ok" }
      )
    })
  )

  it.live("finds nothing wrong with a sound installation, and changes nothing", () =>
    Effect.gen(function* () {
      const environment = yield* installed
      assert.isEmpty(
        (yield* examined(environment)).filter(
          ({ check, state }) => state === "fail" || (state === "warn" && check !== "node")
        )
      )
      const fresh = yield* directory
      yield* examined({ GATEWARDEN_DATA_DIR: fresh })
      const { code } = yield* Effect.promise(() => gatewarden(["doctor"], { PORT: "0", GATEWARDEN_DATA_DIR: fresh }))
      assert.strictEqual(code, 0)
      const broken = yield* Effect.promise(() =>
        gatewarden(["doctor"], { ...environment, PORT: "0", GATEWARDEN_WIRE: "soap" })
      )
      assert.strictEqual(broken.code, 78)
      assert.include(broken.stdout, 'configuration: set GATEWARDEN_WIRE to one of "auto"')
      assert.include(broken.stderr, "1 check failed")
    })
  )

  it.live("misses no management key between the migration and the first start, which creates it", () =>
    Effect.gen(function* () {
      const environment = yield* onDatabase
      assert.strictEqual((yield* gatewardenHere(["migrate"], environment)).code, 0)
      const found = (yield* examined(environment)).find(({ check }) => check === "management key")
      assert.deepInclude(found, { state: "ok", detail: "there is none yet; the first start creates it" })
    })
  )

  it.live("asks the server that holds an embedded store", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const holder = yield* server({ dataDirectory: path, environment: { DATABASE_URL: "" } })
      const findings = yield* examined({ GATEWARDEN_DATA_DIR: path })
      assert.isTrue(findings.some(({ check, detail }) => check === "lock" && detail.includes(String(holder.child.pid))))
      assert.isTrue(findings.some(({ check, state }) => check === "schema" && state === "ok"))
      assert.isTrue(findings.some(({ check, state }) => check === "secrets" && state === "ok"))
      assert.isTrue(findings.some(({ check, state }) => check === "management key" && state === "ok"))

      const environment = { GATEWARDEN_DATA_DIR: path }
      const { stdout } = yield* gatewardenHere(["keys", "list", "--json"], environment)
      for (const { hash } of (JSON.parse(stdout) as { readonly keys: readonly { readonly hash: string }[] }).keys)
        assert.strictEqual((yield* gatewardenHere(["keys", "revoke", hash, "--force"], environment)).code, 0)
      const lost = bad(yield* examined(environment), "management key")
      assert.deepStrictEqual([lost.state, lost.mend], ["fail", "gatewarden keys create --management --name recovered"])
    })
  )
})
