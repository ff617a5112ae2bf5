import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parquetWriteBuffer, type SchemaElement } from "hyparquet-writer"
import { createHash } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { exitCode } from "../../node/src/failure/exitCode.ts"
import { openParquetInput } from "../../node/src/usage/readParquet.ts"
import { commandHere, keyring, temporaryDirectory } from "./gatewarden.ts"

type Environment = Readonly<Record<string, string>>

const newDatabase = async () => ({
  DATABASE_URL: await createMigratedDatabase(inject("postgres")),
  GATEWARDEN_KEYRING: keyring
})

const succeeds = async (args: readonly string[], environment: Environment) => {
  const ended = await commandHere(args, environment)
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.stdout
}

const exported = async (directory: string, environment: Environment) => {
  const path = join(directory, "exported.ndjson")
  await succeeds(["usage", "export", "--out", path], environment)
  return (await readFile(path, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
}

const largest = 9_007_199_254_740_991n

const texts = (name: string, data: readonly (string | null)[]) => ({ name, data: [...data] })

/** Three events in two row groups: of each type that a writer may choose. */
const write = async (path: string, options: Partial<Parameters<typeof parquetWriteBuffer>[0]> = {}) => {
  const decimal = (name: string, type: Partial<SchemaElement>): SchemaElement => ({
    name,
    repetition_type: "OPTIONAL",
    converted_type: "DECIMAL",
    ...type
  })
  const text = (name: string): SchemaElement => ({
    name,
    type: "BYTE_ARRAY",
    converted_type: "UTF8",
    repetition_type: "OPTIONAL"
  })
  const schema: SchemaElement[] = [
    { name: "root", num_children: 11 },
    text("id"),
    { name: "created_at", type: "INT64", converted_type: "TIMESTAMP_MICROS", repetition_type: "REQUIRED" },
    text("model"),
    text("provider"),
    { name: "prompt_tokens", type: "INT64", repetition_type: "REQUIRED" },
    { name: "completion_tokens", type: "INT32", repetition_type: "REQUIRED" },
    decimal("cost_usd", { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, precision: 38, scale: 12 }),
    decimal("byok_cost_usd", { type: "INT64", precision: 18, scale: 9 }),
    { name: "input_modalities", repetition_type: "OPTIONAL", converted_type: "LIST", num_children: 1 },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    text("element"),
    { name: "latency_ms", type: "DOUBLE", repetition_type: "OPTIONAL" },
    text("note")
  ]
  const buffer = parquetWriteBuffer({
    columnData: [
      texts("id", ["a", null, "c"]),
      { name: "created_at", data: [1_772_366_400_250_999n, 1_772_366_401_000_000n, 1_772_366_402_000_000n] },
      texts("model", ["acme/sonnet", "acme/haiku:free", "acme/sonnet"]),
      texts("provider", ["acme", "acme", "acme"]),
      { name: "prompt_tokens", data: [largest, 2n, largest + 2n] },
      { name: "completion_tokens", data: [5, 0, 1] },
      { name: "cost_usd", data: [999_999_999_999_999_999_000n, 1_000n, 0n] },
      { name: "byok_cost_usd", data: [1n, null, null] },
      { name: "input_modalities", data: [["text", "image"], null, null] },
      { name: "latency_ms", data: [0.125, null, null] },
      texts("note", ["x", "x", "x"])
    ],
    schema,
    rowGroupSize: 2,
    ...options
  })
  await writeFile(path, new Uint8Array(buffer))
}

describe("gatewarden usage import FILE.parquet", () => {
  it.live("records exact integers, decimals, times and lists once, and names the row that it cannot", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const environment = await newDatabase()
        const path = join(directory, "events.parquet")
        await write(path)
        const ended = await commandHere(["usage", "import", "--json", path], environment)
        assert.strictEqual(ended.code, exitCode.failure)
        assert.include(ended.stderr, 'The column "note" is ignored')
        const [file] = JSON.parse(ended.stdout).files
        assert.deepInclude(file, { records: 3, accepted: 2, duplicates: 0, rejected: 1 })
        const [rejected, ...more] = (await readFile(`${path}.rejects.ndjson`, "utf8")).trim().split("\n")
        assert.lengthOf(more, 0)
        const { line, reason, record } = JSON.parse(rejected ?? "")
        assert.strictEqual(line, 3)
        assert.include(reason, "prompt_tokens")
        assert.deepInclude(JSON.parse(record), { id: "c", prompt_tokens: "9007199254740993", cost_usd: "0" })

        const [a, b] = await exported(directory, environment)
        assert.deepInclude(a, {
          id: "a",
          created_at: "2026-03-01T12:00:00.250Z",
          prompt_tokens: Number(largest),
          completion_tokens: 5,
          cost_usd: "999999999.999999999",
          byok_cost_usd: "0.000000001",
          input_modalities: ["text", "image"],
          latency_ms: 0.125
        })
        assert.deepInclude(b, { model: "acme/haiku:free", cost_usd: "0.000000001", prompt_tokens: 2 })

        // Again, also packed otherwise: the same ids.
        const zip = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes))
        await write(path, { codec: "GZIP", compressors: { GZIP: zip }, rowGroupSize: 3 })
        const again = await commandHere(["usage", "import", "--json", path], environment)
        assert.deepInclude(JSON.parse(again.stdout).files[0], { accepted: 0, duplicates: 2, rejected: 1 })
      })
    })
  )

  it.live("records an export of another installation again", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const [from, to] = [await newDatabase(), await newDatabase()]
        const given = join(directory, "given.ndjson")
        const events = Array.from({ length: 30 }, (_, index) => ({
          ...{ id: `e${index}`, created_at: new Date(Date.UTC(2026, 0, 1, index)).toISOString() },
          ...{ model: "acme/sonnet", provider: "acme", prompt_tokens: index, completion_tokens: 1 },
          ...{ cost_usd: `${index}.000000001`, byok: index % 2 === 0, byok_cost_usd: "3.1" },
          ...(index % 3 === 0 && {
            classifiers: { topic: { kind: "k" } },
            trace: { n: [index] },
            cost_components: { usage_web: "0.000000001" },
            input_modalities: ["text"],
            user_id: "'=1+1"
          })
        }))
        await writeFile(given, events.map((one) => `${JSON.stringify(one)}\n`).join(""))
        await succeeds(["usage", "import", given], from)
        const path = join(directory, "out.parquet")
        await succeeds(["usage", "export", "--out", path], from)
        await succeeds(["usage", "import", "--ignore-workspaces", path], to)
        const withoutWorkspace = (all: readonly Readonly<Record<string, unknown>>[]) =>
          all.map((one) => ({ ...one, workspace_id: "" }))
        assert.deepEqual(
          withoutWorkspace(await exported(directory, to)),
          withoutWorkspace(await exported(directory, from))
        )
      })
    })
  )

  it.live("refuses what is no such file, and the standard input", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const environment = await newDatabase()
        const path = join(directory, "events.parquet")
        const ends = async (...args: readonly string[]) => commandHere(["usage", "import", ...args], environment)
        await writeFile(path, "no Parquet, but long enough for its end")
        const wrong = await ends(path)
        assert.deepEqual([wrong.code, wrong.stderr.includes("is no Parquet file")], [exitCode.failure, true])
        assert.strictEqual((await ends("--format", "parquet", "-")).code, exitCode.usage)
        await write(path)
        const whole = await readFile(path)
        // The first pages are missing, the end is there.
        await writeFile(path, Buffer.concat([Buffer.alloc(200), whole.subarray(200)]))
        assert.strictEqual((await ends(path)).code, exitCode.failure)
        assert.deepEqual(await exported(directory, environment), [])
      })
    })
  )

  it.live("reads no row group before the one before it is taken", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const path = join(directory, "events.parquet")
        const rows = 20_000
        const same = <T>(name: string, value: T) => ({ name, data: Array.from({ length: 2 * rows }, () => value) })
        const ids = Array.from({ length: 2 * rows }, (_, index) =>
          createHash("sha256").update(`${index}`).digest("hex")
        )
        const columnData = [
          { name: "id", data: ids },
          ...["created_at", "model", "provider", "cost_usd"].map((name) => same(name, "1")),
          ...["prompt_tokens", "completion_tokens"].map((name) => same(name, 1))
        ]
        await writeFile(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: rows })))
        const { records, taken, size, close } = await openParquetInput(path, () => {})
        let read = 0
        const takenAt: number[] = []
        for await (const some of records) {
          read += some.length
          takenAt.push(taken())
        }
        await close()
        assert.strictEqual(read, 2 * rows)
        // While rows of the first group are taken, the second one is not read.
        const half = takenAt.slice(0, takenAt.length / 2)
        assert.isBelow(half.at(-1) ?? 0, size * 0.75)
        assert.strictEqual(half[0], half.at(-1))
      })
    })
  )
})
