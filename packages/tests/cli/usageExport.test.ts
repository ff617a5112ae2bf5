import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { exitCode } from "../../node/src/failure/exitCode.ts"
import { failed } from "../../node/src/failure/Failed.ts"
import { exportFile } from "../../node/src/usage/exportFile.ts"
import { commandHere, gatewarden, keyring, modeOf, temporaryDirectory } from "./gatewarden.ts"

type Event = Readonly<Record<string, unknown>>

/** More than one stretch of the store has. */
const count = 1_203

const users = ["anna", "=1+1", "line\nbreak", 'quo"te, ä', undefined]

const eventOf = (index: number): Event => ({
  id: `event ${index}`,
  created_at: new Date(Date.UTC(2026, 0, 1) + (index % 7) * 1_000).toISOString(),
  model: index % 2 === 0 ? "acme/sonnet" : "acme/haiku:free",
  provider: "acme",
  prompt_tokens: index,
  completion_tokens: 9_007_199_254_740_991,
  cost_usd: `${index}.${String(index).padStart(9, "0")}`,
  byok_cost_usd: "999999999.999999999",
  byok: index % 3 === 0,
  user_id: users[index % users.length],
  ...(index % 4 === 0
    ? {
        latency_ms: 0.1 * index,
        classifiers: { topic: { kind: `k${index % 3}` } },
        trace: { n: index },
        cost_components: { usage_web: "0.000000001", byok_fees: "1" },
        input_modalities: ["text", "image"]
      }
    : {})
})

const sums = `select user_id, model, variant, status, byok, count(*)::text as events, sum(prompt_tokens)::text as prompt,
  sum(completion_tokens)::text as completion, sum(cost_nanos)::text as cost, sum(byok_cost_nanos)::text as byok_cost,
  sum(usage_web_nanos)::text as web, sum(byok_fees_nanos)::text as fees, sum(latency_ms)::text as latency,
  sum(sample_weight)::text as weight, string_agg(distinct classifiers::text || trace::text, ',') as tags,
  max(input_modalities) as modalities
  from gatewarden_usage_event group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`

const newDatabase = async () => {
  const DATABASE_URL = await createMigratedDatabase(inject("postgres"))
  return { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
}

const succeeds = async (args: readonly string[], environment: Readonly<Record<string, string>>) => {
  const ended = await commandHere(args, environment)
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.stdout
}

const eventsIn = async (path: string): Promise<readonly Event[]> =>
  (await readFile(path, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event)

/** An installation with the events, and a directory. */
const recorded = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const environment = yield* Effect.promise(async () => {
    const made = await newDatabase()
    const path = join(directory, "given.ndjson")
    await writeFile(path, Array.from({ length: count }, (_, index) => `${JSON.stringify(eventOf(index))}\n`).join(""))
    await succeeds(["usage", "import", path], made)
    return made
  })
  return { directory, environment }
})

describe("gatewarden usage export", () => {
  for (const format of ["ndjson", "csv"] as const)
    it.live(`${format}: an empty installation that imports it has the same sums`, () =>
      Effect.gen(function* () {
        const { directory, environment } = yield* recorded
        yield* Effect.promise(async () => {
          const path = join(directory, `out.${format}`)
          const report = await succeeds(["usage", "export", "--out", path, "--json"], environment)
          assert.deepEqual(JSON.parse(report), { file: path, format, events: count })
          assert.strictEqual(await modeOf(path), "600")
          const empty = await newDatabase()
          const imported = await succeeds(["usage", "import", "--ignore-workspaces", "--json", path], empty)
          assert.include(imported, `"accepted": ${count}`)
          const before = await execute(environment.DATABASE_URL, sums)
          assert.isAbove(before.length, 10)
          assert.deepEqual(await execute(empty.DATABASE_URL, sums), before)
          const again = join(directory, `again.${format}`)
          await succeeds(["usage", "export", "--out", again], empty)
          const withoutWorkspaces = async (file: string) =>
            (await readFile(file, "utf8")).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "")
          assert.strictEqual(await withoutWorkspaces(again), await withoutWorkspaces(path))
          // Nothing lies beside the files.
          assert.deepEqual((await readdir(directory)).sort(), [`again.${format}`, "given.ndjson", `out.${format}`])
        })
      })
    )

  it.live("Parquet: another reader finds every event, with exact amounts", () =>
    Effect.gen(function* () {
      const { directory, environment } = yield* recorded
      yield* Effect.promise(async () => {
        const [path, lines] = [join(directory, "out.parquet"), join(directory, "out.ndjson")]
        await succeeds(["usage", "export", "--out", path], environment)
        await succeeds(["usage", "export", "--out", lines], environment)
        const file = await asyncBufferFromFile(path)
        const { schema, num_rows } = await parquetMetadataAsync(file)
        assert.strictEqual(num_rows, BigInt(count))
        const cost = schema.find(({ name }) => name === "cost_usd")
        assert.deepInclude(cost, { converted_type: "DECIMAL", precision: 38, scale: 9 })
        const rows = await parquetReadObjects({ file })
        const events = await eventsIn(lines)
        // The reader makes a double of a decimal.
        for (const [index, row] of rows.entries())
          assert.approximately(row["cost_usd"] as number, Number(events[index]?.["cost_usd"]), 1e-9)
        assert.deepEqual<unknown>(
          rows.map((row) => ({
            id: row["id"],
            created_at: (row["created_at"] as Date).toISOString(),
            model: row["model"],
            prompt_tokens: Number(row["prompt_tokens"]),
            completion_tokens: Number(row["completion_tokens"]),
            byok: row["byok"],
            user_id: row["user_id"] ?? undefined,
            latency_ms: row["latency_ms"] ?? undefined,
            classifiers: row["classifiers"] == null ? undefined : JSON.parse(row["classifiers"] as string),
            web: row["cost_components_usage_web"] ?? undefined
          })),
          events.map((event) => ({
            id: event["id"],
            created_at: event["created_at"],
            model: event["model"],
            prompt_tokens: event["prompt_tokens"],
            completion_tokens: event["completion_tokens"],
            byok: event["byok"],
            user_id: event["user_id"],
            latency_ms: event["latency_ms"],
            classifiers: event["classifiers"],
            web: event["cost_components"] === undefined ? undefined : 1e-9
          }))
        )
        // The bytes of the largest amount: 999999999999999999 in sixteen, big-endian.
        const bytes = Buffer.alloc(16)
        bytes.writeBigUInt64BE(999_999_999_999_999_999n, 8)
        assert.isTrue((await readFile(path)).includes(bytes))
      })
    })
  )

  it.live("to standard output, filtered", () =>
    Effect.gen(function* () {
      const { environment } = yield* recorded
      yield* Effect.promise(async () => {
        const args = ["usage", "export", "--out", "-", "--format", "ndjson", "--user", "anna"]
        const { stdout, code } = await gatewarden(args, environment)
        assert.strictEqual(code, 0)
        const lines = stdout.trim().split("\n")
        assert.lengthOf(lines, Math.ceil(count / users.length))
        assert.isTrue(lines.every((line) => (JSON.parse(line) as Event)["user_id"] === "anna"))
      })
    })
  )

  it.live("refuses what it cannot do", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const environment = await newDatabase()
        const code = async (...args: readonly string[]) =>
          (await commandHere(["usage", "export", ...args], environment)).code
        assert.strictEqual(await code("--out", "-", "--format", "parquet"), exitCode.usage)
        assert.strictEqual(await code("--out", "events.txt"), exitCode.usage)
        assert.strictEqual(await code("--out", join(directory, "a.csv"), "--start", "March"), exitCode.usage)
        assert.strictEqual(await code("--out", join(directory, "a.csv"), "--value", "x"), exitCode.usage)
        assert.strictEqual(await code("--out", join(directory, "a.csv"), "--account", "nobody"), exitCode.failure)
        assert.strictEqual(await code("--out", join(directory, "missing", "a.csv")), exitCode.failure)
        assert.deepEqual(await readdir(directory), [])
      })
    })
  )

  for (const format of ["csv", "parquet"] as const)
    it.effect(`${format}: a file that is there stays as it is when an export fails`, () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const path = join(directory, "out")
        yield* Effect.promise(() => writeFile(path, "before"))
        const result = yield* Effect.exit(
          exportFile(path, format, (write) =>
            Effect.andThen(write('{"id":"a"}\n'), Effect.fail(failed("busy", "gone")))
          )
        )
        assert.isTrue(Exit.isFailure(result))
        assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "before")
        assert.deepEqual(yield* Effect.promise(() => readdir(directory)), ["out"])
      })
    )
})
