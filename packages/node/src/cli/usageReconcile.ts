/** `gatewarden usage reconcile`. */
import { formatUsd } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readFile } from "node:fs/promises"
import { print, printJson } from "../control/CommandLine.ts"
import type { OutputOf } from "../control/storeCommands.ts"
import { type CallStore, withStore } from "../control/withStore.ts"
import { Failed, failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import { exportFile } from "../usage/exportFile.ts"
import { type Difference, type ExportedEvent, adjustmentsOf, compare, nanosOf, readBill } from "../usage/reconcile.ts"
import { columns } from "./columns.ts"
import { account, json } from "./flags.ts"
import { untilStopped } from "./untilStopped.ts"
import { withConfiguration } from "./withConfiguration.ts"

const dayMillis = 86_400_000

const nextDay = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + dayMillis).toISOString()

const readText = (path: string) =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => fileFailure(`${path} cannot be read`, cause)
  })

const billOf = Effect.fnUntraced(function* (path: string) {
  const text = yield* readText(path)
  return yield* Effect.try({
    try: () => readBill(text),
    catch: (cause) => (cause instanceof Failed ? cause : failed("file", `${path} cannot be read`))
  })
})

/** The events of a day and model, as they count. */
const eventsOf = Effect.fnUntraced(function* (
  account_id: string,
  { date, model }: Difference,
  provider: string,
  call: CallStore
) {
  const filter = { start: `${date}T00:00:00.000Z`, end: nextDay(date), model, provider }
  const events: ExportedEvent[] = []
  let place: OutputOf<"exportUsage">["next"]
  do {
    const at = place === undefined ? {} : { place }
    const stretch: OutputOf<"exportUsage"> = yield* call("exportUsage", { account_id, filter, format: "ndjson", ...at })
    for (const line of stretch.text.split("\n")) if (line !== "") events.push(JSON.parse(line) as ExportedEvent)
    place = stretch.next
  } while (place !== undefined)
  return events
})

const printed = (row: Difference) => ({
  date: row.date,
  model: row.model,
  billed_usd: formatUsd(row.billed),
  recorded_usd: formatUsd(row.recorded),
  difference_usd: formatUsd(row.billed - row.recorded),
  billed_tokens: row.billed_tokens === null ? null : String(row.billed_tokens),
  recorded_tokens: String(row.recorded_tokens)
})

export const usageReconcile = Command.make(
  "reconcile",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "CSV of the provider, with the columns date (YYYY-MM-DD, UTC), model and cost_usd, and perhaps prompt_tokens and completion_tokens."
      )
    ),
    provider: Flag.String("provider").pipe(Flag.withDescription("Slug of the provider whose usage is compared.")),
    account,
    propose: Flag.String("propose").pipe(
      Flag.withDescription(
        "File for adjustments, as NDJSON for `gatewarden usage import`, after which both sides are equal."
      ),
      Flag.optional
    ),
    json
  },
  ({ file, provider, account, propose, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const bill = yield* billOf(file)
        const days = bill.map(({ date }) => date).sort()
        const [first] = days
        const last = days.at(-1)
        if (first === undefined || last === undefined) return yield* failed("file", `${file} has no records`)
        const range = { start: `${first}T00:00:00.000Z`, end: nextDay(last) }
        const summed = { name: "sumUsage", input: { account, provider, ...range } } as const
        const { rows, adjustments, unmatched } = yield* withStore(configuration, summed, ({ account_id, days }, call) =>
          Effect.gen(function* () {
            const recorded = days.map(({ date, model, cost_usd, tokens }) => ({
              ...{ date, model, nanos: nanosOf(cost_usd) ?? 0n, tokens: BigInt(tokens) }
            }))
            const rows = compare(bill, recorded)
            if (Option.isNone(propose)) return { rows, adjustments: null, unmatched: [] }
            let count = 0
            const unmatched: Difference[] = []
            yield* exportFile(propose.value, "ndjson", (write) =>
              Effect.forEach(
                rows.filter(({ billed, recorded }) => billed !== recorded),
                (row) =>
                  Effect.gen(function* () {
                    const events = yield* eventsOf(account_id, row, provider, call)
                    if (events.length === 0) unmatched.push(row)
                    const proposed = adjustmentsOf(events, row.billed)
                    count += proposed.length
                    yield* write(proposed.map((one) => `${JSON.stringify(one)}\n`).join(""))
                  }),
                { discard: true }
              )
            )
            return { rows, adjustments: count, unmatched }
          })
        )
        const total = (of: (row: Difference) => bigint) => rows.reduce((sum, row) => sum + of(row), 0n)
        if (json)
          return yield* printJson({
            rows: rows.map(printed),
            billed_usd: formatUsd(total(({ billed }) => billed)),
            recorded_usd: formatUsd(total(({ recorded }) => recorded)),
            adjustments
          })
        const cells = rows.map((row) => {
          const { date, model, billed_usd, recorded_usd, difference_usd, billed_tokens, recorded_tokens } = printed(row)
          return [date, billed_usd, recorded_usd, difference_usd, billed_tokens ?? "", recorded_tokens, model]
        })
        const sums = [total(({ billed }) => billed), total(({ recorded }) => recorded)] as const
        yield* print(
          columns([
            ["DATE", "BILLED", "RECORDED", "DIFFERENCE", "BILLED TOKENS", "RECORDED TOKENS", "MODEL"],
            ...cells,
            ["TOTAL", ...sums.map(formatUsd), formatUsd(sums[0] - sums[1]), "", "", ""]
          ])
        )
        if (Option.isSome(propose))
          yield* print(`${adjustments} adjustments in ${propose.value}; import them with gatewarden usage import`)
        for (const { date, model } of unmatched)
          yield* print(`No events of ${date} for ${model}: nothing can be adjusted`)
      }).pipe(Effect.scoped, untilStopped)
    )
).pipe(
  Command.withDescription(
    "Compare what a provider billed with recorded usage, by day and model, and propose adjustments."
  ),
  Command.withExamples([
    { command: "gatewarden usage reconcile march.csv --provider acme", description: "Only compare" },
    {
      command: "gatewarden usage reconcile march.csv --provider acme --propose adjustments.ndjson",
      description: "Write adjustments to import"
    }
  ])
)
