/**
 * `npm run bench -- growth`: what each operation costs while history and lists grow a hundredfold, as a table on standard output.
 *
 * Processor time of PostgreSQL per call and the median of the time that a caller waits, one call at a time. The ratio is that of the
 * processor time of the largest size to that of the smallest; 1.5 is aimed at. `--quick` takes a tenth of each size; `--only TEXT`
 * measures the operations whose name has the text, `--lists` the pages of lists alone, without events, in a minute or two. Takes about
 * a quarter of an hour, and 5 GB of disk.
 */
import { Retention, type StorePorts } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { type Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { execute, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { median } from "../median.ts"
import { type Operation, operations } from "./operations.ts"
import { seedEvents, seedLists } from "./seedRows.ts"

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    lists: { type: "boolean", default: false }
  }
})

const scale = values.quick ? 0.1 : 1
const sizes = [1_000, 10_000, 100_000].map((rows) => ({
  events: values.lists ? 0 : 30 * rows * scale,
  keys: rows * scale
}))
const asked = values.lists ? ", page" : values.only

const applicationName = "gatewarden-growth"
/** Until so much processor time was used, so many calls were made or so much time has passed. */
const enough = { micros: 200_000, calls: 1_000, millis: 1_500 }
const warmUps = 10

interface Cost {
  /** Milliseconds of processor time of PostgreSQL per call; undefined where it cannot be read. */
  readonly processor: number | undefined
  /** Median milliseconds. */
  readonly waited: number
}

/** Microseconds of processor time that the sessions of the store have used: ticks of ten milliseconds, so of many calls. */
const sessionTime = async (url: string): Promise<number | undefined> => {
  const rows = await execute(url, `select pid from pg_stat_activity where application_name like '${applicationName}%'`)
  let sum = 0
  for (const { pid } of rows) {
    const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => undefined)
    if (stat === undefined) return undefined
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    sum += ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10_000
  }
  return sum
}

/** How often each was called: no two calls have the same number. */
const called = new Map<Operation, number>()

const measure = async (
  url: string,
  operation: Operation,
  run: <A>(effect: Effect.Effect<A, never, StorePorts>) => Promise<A>
): Promise<Cost> => {
  const { call, before } = operation
  const next = async () => {
    if (before !== undefined) await execute(url, ...before)
    const index = called.get(operation) ?? 0
    called.set(operation, index + 1)
    const start = performance.now()
    await run(call(index))
    return performance.now() - start
  }
  for (let warmUp = 0; warmUp < warmUps; warmUp++) await next()
  const waits: number[] = []
  const begun = performance.now()
  const from = await sessionTime(url)
  let used: number | undefined = 0
  do {
    for (let call = 0; call < (before === undefined ? 20 : 5); call++) waits.push(await next())
    const now = await sessionTime(url)
    used = now === undefined || from === undefined ? undefined : now - from
  } while ((used ?? 0) < enough.micros && waits.length < enough.calls && performance.now() - begun < enough.millis)
  return { processor: used === undefined ? undefined : used / 1_000 / waits.length, waited: median(waits) }
}

const digits = (value: number | undefined): string => (value === undefined ? "?" : value.toPrecision(value < 1 ? 2 : 3))
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`
const count = (value: number): string => value.toLocaleString("en")

const postgres = await startPostgresServer({ durable: true })
try {
  const found = new Map<string, Cost[]>()
  const note = (name: string, cost: Cost) => found.set(name, [...(found.get(name) ?? []), cost])
  for (const { events, keys } of sizes) {
    const url = await postgres.createDatabase()
    const scope = Scope.makeUnsafe()
    const services: Context.Context<StorePorts> = await Effect.runPromise(
      Scope.provide(
        Layer.build(
          layerPostgresStore({
            url: Redacted.make(url),
            applicationName,
            maxConnections: 1,
            writeConnections: 1,
            notifications: false
          })
        ),
        scope
      )
    )
    const run = Effect.runPromiseWith(services)
    const begun = performance.now()
    await execute(url, ...seedLists(keys), ...seedEvents(events, keys))
    process.stderr.write(`${count(events)} events, ${count(keys)} keys: ${Math.round(performance.now() - begun)} ms\n`)
    // As background work has every minute.
    await run(
      Effect.flatMap(Retention, (port) => Effect.repeat(port.measureEndpoints(20_000), { while: (done) => done > 0 }))
    )
    const chosen = operations(keys).filter(({ name }) => name.includes(asked))
    for (const operation of chosen.filter(({ atOnce }) => atOnce))
      note(`${operation.name}, right after the import`, await measure(url, operation, run))
    // What background work has done by then.
    await run(
      Effect.gen(function* () {
        const retention = yield* Retention
        while ((yield* retention.foldUsage(20_000)) > 0);
        while ((yield* retention.foldRankings(100, 1_100 * 86_400)) > 0);
      })
    )
    await execute(url, "vacuum analyze")
    for (const operation of chosen) note(operation.name, await measure(url, operation, run))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await execute(url.replace(/[^/]*$/, "postgres"), `drop database ${url.replace(/^.*\//, "")} with (force)`)
  }
  const header = [
    "operation",
    ...sizes.map(({ events, keys }) => `${count(events)} events, ${count(keys)} keys`),
    "ratio",
    ""
  ]
  process.stdout.write(row(header) + row(header.map(() => "---")))
  for (const [name, costs] of found) {
    const ratio = (costs.at(-1)?.processor ?? 0) / (costs[0]?.processor || Number.NaN)
    process.stdout.write(
      row([
        name,
        ...costs.map(({ processor, waited }) => `${digits(processor)} ms, waits ${digits(waited)}`),
        Number.isNaN(ratio) ? "?" : ratio.toFixed(2),
        ratio <= 1.5 ? "flat" : ""
      ])
    )
  }
} finally {
  await postgres.stop()
}
