import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { inject } from "vitest"
import { commandLine } from "@gatewarden/testkit/server/serverProcess"
import { openConnection } from "@gatewarden/testkit/stores/openConnection"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import {
  commandHere,
  type Ended,
  gatewarden,
  gatewardenHere,
  keyring,
  server,
  temporaryDirectory
} from "./gatewarden.ts"

interface Report {
  readonly files: readonly {
    readonly records: number
    readonly accepted: number
    readonly duplicates: number
    readonly rejected: number
    readonly resumed_at: number
    readonly rejects_file: string | null
  }[]
}

const reportOf = ({ stdout }: Ended) => (JSON.parse(stdout) as Report).files

const event = (index: number) => ({
  created_at: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
  model: index % 2 === 0 ? "acme/sonnet" : "acme/haiku:free",
  provider: "acme",
  prompt_tokens: index,
  completion_tokens: 7,
  cost_usd: `0.${String(index % 1_000).padStart(9, "0")}`
})

/** Every third without an id, every hundredth unfit: not JSON, without a model, of an unknown workspace, of the future. */
const lineOf = (index: number): string => {
  const sent = index % 3 === 0 ? event(index) : { id: `event-${index}`, ...event(index) }
  if (index % 100 !== 99) return JSON.stringify(sent)
  switch (Math.floor(index / 100) % 4) {
    case 0:
      return "{"
    case 1:
      return JSON.stringify({ ...sent, model: undefined })
    case 2:
      return JSON.stringify({ ...sent, workspace_id: "11111111-1111-4111-8111-111111111111" })
    default:
      return JSON.stringify({ ...sent, created_at: "2999-01-01T00:00:00Z" })
  }
}

const isFit = (index: number): boolean => index % 100 !== 99

const linesUpTo = (count: number) => Array.from({ length: count }, (_, index) => index)

const rejectsIn = async (path: string) =>
  (await readFile(path, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly line: number; readonly reason: string; readonly record: string })

/** Runs a command with this standard input. */
const withInput = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: Buffer,
  cwd: string
): Promise<Ended> => {
  const child = spawn(process.execPath, [commandLine, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  child.stdin.end(input)
  await once(child, "close")
  return { code: child.exitCode, stdout, stderr }
}

describe("gatewarden usage import", () => {
  it.live("goes on after kill -9: nothing is lost, nothing counts twice, every reject is told once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const DATABASE_URL = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      const environment = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
      const count = 20_000
      const all = linesUpTo(count)
      const fit = all.filter(isFit)
      const path = join(directory, "usage.ndjson")
      yield* Effect.promise(async () => {
        await writeFile(path, all.map((index) => `${lineOf(index)}\n`).join(""))
        await commandHere(["migrate"], environment)
        // Records that wait until they are let in, so that nobody is through before it is told to end.
        await execute(
          DATABASE_URL,
          `create function wait_at_gate() returns trigger language plpgsql as $$
              begin perform pg_advisory_xact_lock(split_part(new.id, '-', 2)::int); return new; end $$`,
          `create trigger gate before insert on gatewarden_usage_event for each row
              when (new.id in ('event-5002', 'event-15001')) execute function wait_at_gate()`
        )
        const gate = await openConnection(DATABASE_URL)
        const endedAt = async (least: number, closed: number, signal: NodeJS.Signals) => {
          await gate.query(`select pg_advisory_lock(${closed})`)
          const child = spawn(process.execPath, [commandLine, "usage", "import", path], {
            env: { PATH: process.env["PATH"] ?? "", ...environment },
            stdio: "ignore"
          })
          const ended = once(child, "exit")
          const records = await vi.waitFor(
            async () => {
              const state = JSON.parse(await readFile(`${path}.gatewarden-import`, "utf8")) as { records: number }
              assert.isAbove(state.records, least)
              return state.records
            },
            { timeout: 60_000, interval: 2 }
          )
          child.kill(signal)
          await gate.query("select pg_advisory_unlock_all()")
          return { records, ended: await ended }
        }
        const asked = await endedAt(0, 5_002, "SIGTERM")
        assert.deepStrictEqual(asked.ended, [75, null])
        const { records, ended } = await endedAt(Math.max(asked.records, count / 2), 15_001, "SIGKILL")
        await gate.close()
        assert.deepStrictEqual(ended, [null, "SIGKILL"])
        const [before] = await execute(DATABASE_URL, "select count(*)::int as count from gatewarden_usage_event")
        assert.isAtLeast(Number(before?.["count"]), records - records / 100)
        assert.isBelow(Number(before?.["count"]), fit.length)

        const resumed = await gatewarden(["usage", "import", path, "--json"], environment)
        assert.strictEqual(resumed.code, 1, resumed.stderr)
        assert.include(resumed.stderr, `${count / 100} records were not imported: ${path}.rejects.ndjson`)
        const [report] = reportOf(resumed)
        assert.strictEqual(report?.records, count)
        assert.isAtLeast(report?.resumed_at ?? 0, records)
        assert.strictEqual(report?.rejected, count / 100)
        assert.strictEqual((report?.accepted ?? 0) + (report?.duplicates ?? 0), fit.length)

        const [stored] = await execute(
          DATABASE_URL,
          `select count(*)::int as count, sum(prompt_tokens)::text as tokens, sum(cost_nanos)::text as nanos
             from gatewarden_usage_event`
        )
        const sum = (of: (index: number) => bigint) => fit.reduce((total, index) => total + of(index), 0n).toString()
        assert.deepStrictEqual(
          { ...stored },
          { count: fit.length, tokens: sum(BigInt), nanos: sum((index) => BigInt(index % 1_000)) }
        )

        const rejects = await rejectsIn(`${path}.rejects.ndjson`)
        const unfit = all.filter((index) => !isFit(index))
        assert.deepStrictEqual(
          rejects.map(({ line }) => line),
          unfit.map((index) => index + 1)
        )
        for (const [at, reason] of [/^Not valid JSON/, /^model: /, /^workspace_id: /, /^created_at: /].entries())
          assert.match(rejects[at]?.reason ?? "", reason)
        for (const { line, record } of rejects) assert.strictEqual(record, lineOf(line - 1))

        // Finished, it leaves nothing behind but the rejects; repeated, it adds nothing.
        assert.deepStrictEqual((await readdir(directory)).sort(), ["usage.ndjson", "usage.ndjson.rejects.ndjson"])
        const again = reportOf(await commandHere(["usage", "import", path, "--json"], environment))
        assert.deepInclude(again[0], { accepted: 0, duplicates: fit.length, rejected: count / 100, resumed_at: 0 })
        assert.deepStrictEqual(await rejectsIn(`${path}.rejects.ndjson`), rejects)
      })
    })
  )

  it.live("goes through the server that holds the store, from files of every kind and the standard input", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const dataDirectory = join(directory, "data")
      yield* server({ dataDirectory, environment: { DATABASE_URL: "" } })
      const environment = { GATEWARDEN_DATA_DIR: dataDirectory }
      yield* Effect.promise(async () => {
        const header = Object.keys(event(0))
        const csv = [
          ["id", ...header].join(","),
          ...linesUpTo(10).map((index) => [`event-${index}`, ...Object.values(event(index))].join(","))
        ].join("\n")
        const plain = join(directory, "a.csv")
        const packed = join(directory, "b.jsonl.gz")
        await writeFile(plain, csv)
        await writeFile(
          packed,
          gzipSync(
            linesUpTo(15)
              .map((index) => JSON.stringify({ id: `event-${index}`, ...event(index) }))
              .join("\n")
          )
        )
        const both = await commandHere(["usage", "import", plain, packed], environment)
        assert.strictEqual(both.code, 0, both.stderr)
        assert.match(both.stdout, /a\.csv +10 +10 +0 +0 /)
        assert.match(both.stdout, /b\.jsonl\.gz +15 +5 +10 +0 /)

        const stdin = await withInput(
          ["usage", "import", "-", "--format", "csv", "--json"],
          environment,
          gzipSync(`${csv}\nevent-x,yesterday,acme/a,acme,1,1,0\n`),
          directory
        )
        assert.strictEqual(stdin.code, 1, stdin.stderr)
        assert.deepInclude(reportOf(stdin)[0], { accepted: 0, duplicates: 10, rejected: 1 })
        const [reject] = await rejectsIn(join(directory, "stdin.rejects.ndjson"))
        assert.deepInclude(reject, { line: 12, record: "event-x,yesterday,acme/a,acme,1,1,0" })

        await writeFile(packed, gzipSync(csv).subarray(0, -20))
        const broken = await commandHere(["usage", "import", packed, "--format", "csv"], environment)
        assert.strictEqual(broken.code, 1)
        assert.include(broken.stderr, "cannot be read to its end (Z_BUF_ERROR)")

        const nowhere = await commandHere(["usage", "import", plain, "--workspace", "nowhere"], environment)
        assert.strictEqual(nowhere.stderr, 'gatewarden: There is no workspace "nowhere" in the account "default"\n')
      })
    })
  )

  it.live("asks for what it cannot know", () =>
    Effect.gen(function* () {
      for (const args of [["usage.txt"], ["-"], [], ["a.csv", "b.csv", "--rejects", "r"], ["a.csv", "a.csv"]]) {
        const { code, stdout } = yield* gatewardenHere(["usage", "import", ...args], { DATABASE_URL: "memory:" })
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
      }
    })
  )
})
