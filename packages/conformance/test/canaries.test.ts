/**
 * Two hundred secrets are submitted wherever one may be, and found nowhere: not in answers, logs and spans, not in the
 * database, its files and its journal.
 *
 * Rule: errors#nothing-internal, secrets#never-shown. Beside each search lies something that it must find, so that no search passes
 * by being blind.
 */
import { assert, describe, it } from "@effect/vitest"
import { defaultSettings, makeProviderFiles, parseKeyring, ProviderFiles } from "@gatewarden/core/effect"
import { startServer } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Exit, Redacted, References, Scope, Tracer } from "effect"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { canarySearch } from "../src/canaries/canarySearch.ts"
import { makeCanaries } from "../src/canaries/makeCanaries.ts"
import { recordingTracer } from "../src/canaries/recordingTracer.ts"
import type { Submission } from "../src/canaries/CanarySender.ts"
import { type CanaryRun, submitCanaries } from "../src/canaries/submitCanaries.ts"
import { startServerProcess } from "../src/server/serverProcess.ts"
import { dumpDatabase } from "../src/stores/dumpDatabase.ts"
import { createMigratedDatabase } from "../src/stores/migratedDatabases.ts"
import { execute, startPostgresServer } from "../src/stores/postgresServer.ts"

/** The last one is planted where it must be found; the others are secrets. */
const canaries = makeCanaries(201, 20_260_304)
const planted = canaries.at(-1) ?? ""
const [managementKey = "", keyMaterial = "", ...submitted] = canaries.slice(0, -1)

/** Encrypts with what is itself a secret to look for. */
const keyring = `k1:${Buffer.from(keyMaterial.slice(4, 36)).toString("base64")}`

const environment = {
  GATEWARDEN_MANAGEMENT_KEY: managementKey,
  GATEWARDEN_KEYRING: keyring,
  GATEWARDEN_LOG_LEVEL: "trace"
}

/** Where secrets were found that should not be there, told once all was searched; and that each search saw what was planted. */
const collectLeaks = (made: CanaryRun) => {
  const leaks: string[] = []
  const { find } = canarySearch([...canaries, ...made.issued])

  const search = (where: string, text: Uint8Array | string): boolean => {
    const findings = find(text)
    for (const { secret, form, context } of findings)
      if (secret !== planted) leaks.push(`${where}: ${secret} (${form}): ${context}`)
    return findings.some(({ secret }) => secret === planted)
  }

  const searchAnswers = () => {
    let sawPlanted = 0
    for (const { request, answer, shows } of made.submissions) {
      const found = find(answer)
      if (found.some(({ secret }) => secret === planted)) sawPlanted++
      for (const secret of shows)
        assert.isTrue(
          found.some((finding) => finding.secret === secret),
          "a key is shown once"
        )
      for (const { secret, form, context } of found)
        if (secret !== planted && !shows.includes(secret))
          leaks.push(`answer to ${request.slice(0, 300)}: ${secret} (${form}): ${context}`)
    }
    assert.isAbove(made.submissions.length, 500)
    return sawPlanted > 0
  }

  /** The files below a directory in which the planted one was seen. */
  const searchFiles = async (directory: string): Promise<readonly string[]> => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const saw: string[] = []
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile() && search(file, await readFile(file))) saw.push(file)
    }
    return saw
  }

  return { search, searchAnswers, searchFiles, leaks: () => leaks.slice(0, 20) }
}

/** A workspace that is called like a secret: kept, shown, and logged as the id of its request. */
const plant = async (url: string): Promise<Submission> => {
  const response = await fetch(`${url}/workspaces`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${managementKey}`,
      "content-type": "application/json",
      "x-request-id": planted
    },
    body: JSON.stringify({ name: planted, slug: "planted" })
  })
  assert.strictEqual(response.status, 200)
  return { request: "planting", status: response.status, answer: await response.text(), shows: [] }
}

const run = async (url: string, providersFail = false): Promise<CanaryRun> => {
  const first = await plant(url)
  const made = await submitCanaries({ url, managementKey, canaries: submitted, providersFail })
  return { ...made, submissions: [first, ...made.submissions] }
}

describe("a search for canaries", () => {
  const [secret = "", other = ""] = canaries
  const { find } = canarySearch([secret, other])
  const middle = secret.slice(10, 30)
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) & 255))

  it("finds eight characters in whatever form they were written", () => {
    const piece = middle.slice(3, 11)
    const bytes = Buffer.from(piece)
    for (const [form, written] of Object.entries({
      plain: piece,
      hexadecimal: bytes.toString("hex"),
      "upper hexadecimal": bytes.toString("hex").toUpperCase(),
      "spaced hexadecimal": bytes.toString("hex").replace(/..(?=.)/g, "$& "),
      "list of numbers": JSON.stringify([...bytes]),
      "spaced list of numbers": [...bytes].join(", "),
      "UTF-16": bytes.toString("utf16le") === "" ? "" : Buffer.from(piece, "utf16le").toString("latin1"),
      "lower case": middle.toLowerCase(),
      "upper case": middle.toUpperCase(),
      base64: Buffer.from(`x${middle}`).toString("base64"),
      base64url: Buffer.from(`xx${middle}`).toString("base64url")
    })) {
      const findings = find(Buffer.concat([noise, Buffer.from(written, "latin1"), noise]))
      assert.include(
        findings.map((finding) => finding.form),
        form
      )
      for (const finding of findings) assert.strictEqual(finding.secret, secret)
    }
  })

  it("finds them at either end, and fewer nowhere", () => {
    const piece = middle.slice(0, 8)
    assert.lengthOf(find(piece), 1)
    assert.lengthOf(find(Buffer.concat([noise, Buffer.from(piece)])), 1)
    assert.lengthOf(find(Buffer.concat([Buffer.from(piece), noise])), 1)
    assert.lengthOf(find(`${middle.slice(0, 7)} ${middle.slice(8, 15)}`), 0)
    assert.lengthOf(find(`${secret.slice(0, 4)}...${secret.slice(-4)}`), 0)
    assert.lengthOf(find(noise), 0)
    assert.lengthOf(find(""), 0)
  })
})

describe("what was submitted as a secret", () => {
  it("is not in answers, logs, tables or files of a server on PostgreSQL", async () => {
    const postgres = await startPostgresServer({ embedded: true })
    try {
      const url = await postgres.createDatabase()
      const server = await startServerProcess({ environment: { ...environment, DATABASE_URL: url } })
      const made = await run(server.url).finally(server.stop)
      const { search, searchAnswers, searchFiles, leaks } = collectLeaks(made)
      assert.isTrue(searchAnswers())
      assert.isTrue(search("stderr", server.stderr()))
      assert.isFalse(search("stdout", server.stdout()))

      const dumped = await dumpDatabase(url)
      assert.isAbove(dumped.filter(({ text }) => text !== "").length, 10)
      assert.isAbove(dumped.flatMap(({ bytes }) => bytes).length, 50)
      const saw = dumped.filter(({ table, text, bytes }) => {
        const sawBytes = bytes.map((value) => search(table, value)).includes(true)
        return search(table, text) || sawBytes
      })
      assert.deepStrictEqual(
        saw.map(({ table }) => table),
        ["gatewarden_workspace"]
      )

      const [facts] = await execute(url, "checkpoint", "select current_setting('data_directory') as directory")
      const files = await searchFiles(String(facts?.["directory"]))
      for (const place of ["/base/", "/pg_wal/"])
        assert.isTrue(
          files.some((file) => file.includes(place)),
          place
        )
      assert.deepStrictEqual(leaks(), [])
    } finally {
      await postgres.stop()
    }
  })

  it("is not in answers, logs or files of a server on the embedded store", async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "gatewarden-test-"))
    try {
      const server = await startServerProcess({ dataDirectory, environment: { ...environment, DATABASE_URL: "" } })
      const made = await run(server.url).finally(server.stop)
      const { search, searchAnswers, searchFiles, leaks } = collectLeaks(made)
      assert.isTrue(searchAnswers())
      assert.isTrue(search("stderr", server.stderr()))
      assert.isFalse(search("stdout", server.stdout()))
      const files = await searchFiles(dataDirectory)
      for (const place of ["/base/", "/pg_wal/"])
        assert.isTrue(
          files.some((file) => file.includes(place)),
          place
        )
      assert.deepStrictEqual(leaks(), [])
    } finally {
      await rm(dataDirectory, { recursive: true, force: true })
    }
  })

  it("is not in answers or spans, also when an upstream provider fails", async () => {
    const { tracer, lines } = recordingTracer()
    const parsed = parseKeyring(keyring)
    if ("problem" in parsed) throw new Error(parsed.problem)
    const url = await createMigratedDatabase(inject("postgres"))
    const scope = Scope.makeUnsafe()
    const { url: served } = await Effect.runPromise(
      startServer({
        store: layerPostgresStore({ url: Redacted.make(url) }),
        keyring: parsed.keyring,
        managementKey: Redacted.make(managementKey),
        settings: defaultSettings,
        host: "127.0.0.1",
        port: 0
      }).pipe(
        Effect.tap(Effect.void.pipe(Effect.withSpan("planted", { attributes: { planted } }))),
        // What an unlucky client library might say.
        Effect.provideService(
          ProviderFiles,
          makeProviderFiles({
            fetch: (target, init) =>
              Promise.reject(new Error(`${String(target)} ${JSON.stringify([...new Headers(init?.headers)])}`))
          })
        ),
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Scope.provide(scope)
      )
    )
    const made = await run(served, true).finally(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const { search, searchAnswers, leaks } = collectLeaks(made)
    assert.isTrue(searchAnswers())
    const spans = lines().join("\n")
    assert.isTrue(search("spans", spans))
    for (const part of ['"POST /api/v1/byok"', '"createByokCredential"', '"db.query.text"']) assert.include(spans, part)
    assert.deepStrictEqual(leaks(), [])
  })
})
