/**
 * `npm run bench -- usage`: what usage costs to record, to sum and to read on PostgreSQL, as tables on standard output.
 *
 * `--events` of a year's last 120 days are recorded through the port of the library (1,000,000 by default), beside a bare INSERT of the same
 * rows. At a tenth of them, and at the end, every query of the catalogue is timed from sums; at the end also from events. Exits with 1 when a
 * gate is missed. A million take about four minutes and 1 GB of disk.
 */
import { AnalyticsQuery, type RankingsPeriod } from "@gatewarden/contract/internal"
import {
  type AnalyticsPlan,
  AnalyticsReader,
  RankingsReader,
  Retention,
  UsageLog,
  planQuery
} from "@gatewarden/core/internal"
import type { StorePorts, UsageEvent } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { execute, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { Effect, Exit, Layer, Redacted, Scope, Stream } from "effect"
import { parseArgs } from "node:util"
import { median } from "../median.ts"
import { catalogue } from "./catalogue.ts"
import { openBareInsert } from "./openBareInsert.ts"
import { seededAccount, seededEvents } from "./seededEvents.ts"

const { values } = parseArgs({ options: { events: { type: "string", default: "1000000" } } })

const events = Number(values.events)
const dayMillis = 86_400_000
/** Midnight, so that the last day is as full as the others. */
const end = Math.floor(Date.now() / dayMillis) * dayMillis
const eventsAtOnce = 1_000
/** Parts of the events of which one is also recorded by the bare statement. */
const parts = 10
const calls = { sums: 9, events: 3 }

let missed = 0
const row = (cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`)
const table = (header: readonly string[]) => {
  process.stdout.write("\n")
  row(header)
  row(header.map(() => "---"))
}
const digits = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3))
const gate = (name: string, value: number, unit: string, bound: { atLeast: number } | { atMost: number }) => {
  const met = "atLeast" in bound ? value >= bound.atLeast : value <= bound.atMost
  if (!met) missed++
  row([
    name,
    `${digits(value)}${unit}`,
    "atLeast" in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`,
    met ? "met" : "MISSED"
  ])
}
const print = (name: string, value: number, unit: string) => row([name, `${digits(value)}${unit}`, "", ""])

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const server = await startPostgresServer({ durable: true })
try {
  const url = await server.createDatabase()
  const scope = Scope.makeUnsafe()
  const services = await Effect.runPromise(
    Scope.provide(Layer.build(layerPostgresStore({ url: Redacted.make(url), notifications: false })), scope)
  )
  const run = <A>(effect: Effect.Effect<A, never, StorePorts>): Promise<A> => Effect.runPromiseWith(services)(effect)
  const bare = await openBareInsert(url)

  /** Reports of a chunk each, one after the other, as the bare statement has them. */
  const record = async (chunks: Iterable<readonly UsageEvent[]>) => {
    for (const chunk of chunks)
      await run(Effect.flatMap(UsageLog, (log) => log.record(seededAccount, Stream.make(chunk))))
  }
  /** One report of all chunks, which is recorded as a whole or not at all. */
  const stream = (chunks: Iterable<readonly UsageEvent[]>) =>
    run(Effect.flatMap(UsageLog, (log) => log.record(seededAccount, Stream.fromIterable(chunks))))
  /** Background work, until nothing is due. */
  const sum = () =>
    run(
      Effect.gen(function* () {
        const retention = yield* Retention
        while ((yield* retention.foldUsage(20_000)) > 0);
      })
    )
  const read = (plan: AnalyticsPlan) =>
    run(Effect.flatMap(AnalyticsReader, (reader) => reader.read(seededAccount, plan)))

  const planned = catalogue(end).map(({ name, query }) => {
    const answer = planQuery(AnalyticsQuery.parse(query), end)
    if (!answer.ok) throw new Error(`${name}: ${answer.reason}`)
    return { name, plan: answer.plan }
  })
  const millisOf = async (plan: AnalyticsPlan, times: number) => {
    await read(plan)
    const taken: number[] = []
    for (let time = 0; time < times; time++) taken.push(await timed(() => read(plan)))
    return median(taken)
  }
  const timeAll = async (times: number) => {
    const taken = new Map<string, number>()
    for (const { name, plan } of planned) taken.set(name, await millisOf(plan, times))
    return taken
  }

  // Recorded in parts, each also by the bare statement: what both take is of the same moment.
  const generator = seededEvents({ events, end }, eventsAtOnce)
  const ratios: { alone: number; summed: number }[] = []
  let rate = 0
  let early = new Map<string, number>()
  const memory: number[] = []
  for (let part = 0; part < parts; part++) {
    const chunks: UsageEvent[][] = []
    for (let count = 0; count < events / parts;) {
      const { value, done } = generator.next()
      if (done === true) break
      chunks.push(value)
      count += value.length
    }
    const count = chunks.reduce((sumOf, chunk) => sumOf + chunk.length, 0)
    const asBare = await timed(() => bare.insert(chunks))
    const alone = await timed(() => record(chunks))
    const summing = await timed(sum)
    ratios.push({ alone: asBare / alone, summed: asBare / (alone + summing) })
    rate = count / (alone / 1_000)
    globalThis.gc?.()
    memory.push(process.memoryUsage().rss / 2 ** 20)
    process.stderr.write(
      `${((part + 1) * events) / parts} events: bare ${digits(count / asBare)}, recorded ${digits(count / alone)}, summed ${digits(count / summing)} a millisecond\n`
    )
    if (part === 0) {
      await execute(url, "vacuum analyze")
      early = await timeAll(calls.sums)
    }
  }
  await execute(url, "vacuum analyze")

  table(["recording", "measured", "gate", ""])
  print("events a second", rate, "")
  gate("recorded, to a bare INSERT of the same rows", median(ratios.map(({ alone }) => alone)), "", { atLeast: 0.7 })
  print("recorded and summed, to the same", median(ratios.map(({ summed }) => summed)), "")
  print("memory at the end, to that after a tenth", (memory.at(-1) ?? 0) / (memory[0] ?? 1), "")

  // Two connections ask twenty times a second meanwhile.
  const asked = planned.filter(({ name }) => !name.includes("percentiles")).map(({ plan }) => plan)
  let asks = 0
  const asking = setInterval(() => void read(asked[asks++ % asked.length] ?? (asked[0] as AnalyticsPlan)), 50)
  const more = [...seededEvents({ events: 20_000, end, days: 1, seed: 2 }, eventsAtOnce)]
  const asBare = await timed(() => bare.insert(more))
  const besides = await timed(() => record(more))
  clearInterval(asking)
  gate("the same beside 20 queries a second", asBare / besides, "", { atLeast: 0.5 })
  const streamed = [...seededEvents({ events: 20_000, end, days: 1, seed: 5 }, eventsAtOnce)]
  const asChunks = await timed(() => bare.insert(streamed))
  print("one report of 20,000 lines, to the same rows in chunks", asChunks / (await timed(() => stream(streamed))), "")
  const [late] = [...seededEvents({ events: 1, end: end - 3 * dayMillis, days: 1, seed: 3 }, 1)]
  await sum()
  if (late !== undefined) await record([late])
  await execute(url, "update gatewarden_usage_day set changed_at = now() - interval '1 hour'")
  print("sums of a day after a late event", await timed(sum), " ms")
  const [single] = [...seededEvents({ events: 1_000, end, days: 1, seed: 4 }, 1_000)]
  const before = process.cpuUsage()
  for (const event of single ?? []) await record([[event]])
  const used = process.cpuUsage(before)
  print("processor time of this process for one event alone", (used.user + used.system) / 1_000, " µs")

  const sums = await timeAll(calls.sums)
  await execute(url, "update gatewarden_usage_day set kept = '{}'", "analyze gatewarden_usage_day")
  const fromEvents = await timeAll(calls.events)
  table(["query", `sums at ${events / parts} events`, `at ${events}`, "ratio", `events at ${events}`, "ratio"])
  for (const { name } of planned) {
    const [first, last, raw] = [early.get(name) ?? 0, sums.get(name) ?? 0, fromEvents.get(name) ?? 0]
    row([
      name,
      `${digits(first)} ms`,
      `${digits(last)} ms`,
      digits(last / first),
      `${digits(raw)} ms`,
      digits(raw / last)
    ])
  }
  const gated = "by day and model, one workspace, 30 days"
  table(["reading", "measured", "gate", ""])
  gate(gated, sums.get(gated) ?? Infinity, " ms", { atMost: 10 })
  gate(`${gated}, events to sums`, (fromEvents.get(gated) ?? 0) / (sums.get(gated) ?? Infinity), "", { atLeast: 100 })
  const period: RankingsPeriod = "day"
  const dayOf = (days: number) => new Date(end - days * dayMillis).toISOString().slice(0, 10)
  const rank = () =>
    run(Effect.flatMap(RankingsReader, (reader) => reader.rank({ period, first: dayOf(30), last: dayOf(1) })))
  await run(Effect.flatMap(Retention, (retention) => retention.foldRankings(1_000, 1_100 * 86_400)))
  await rank()
  print("rankings of 30 days", await timed(rank), " ms")
  await bare.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
} finally {
  await server.stop()
}
process.exitCode = missed === 0 ? 0 : 1
