/** `gatewarden invoices`. */
import { InvoiceBy } from "@gatewarden/contract/internal"
import { invoiceCsv } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { columns } from "./columns.ts"
import { account, csvSafe, json } from "./flags.ts"
import { withConfiguration } from "./withConfiguration.ts"

const tagFlag = (name: string) =>
  Flag.String(name).pipe(Flag.withDescription(`With --by tag: the ${name} of the tag.`), Flag.optional)

export const invoices = Command.make(
  "invoices",
  {
    account,
    month: Flag.String("month").pipe(Flag.withDescription("The month, such as 2026-03, in UTC.")),
    by: Flag.Literals("by", InvoiceBy.options).pipe(Flag.withDescription("What the usage is charged to.")),
    classifier: tagFlag("classifier"),
    dimension: tagFlag("dimension"),
    csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print CSV."), Flag.withDefault(false)),
    csvSafe,
    json
  },
  ({ account, month, by, classifier, dimension, csv, csvSafe, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const tag = { classifier: Option.getOrUndefined(classifier), dimension: Option.getOrUndefined(dimension) }
        const invoice = yield* callStore(configuration, "makeInvoice", { account, query: { month, by, ...tag } })
        if (json) return yield* printJson(invoice)
        if (csv) return yield* print(linesOf(invoiceCsv(invoice, csvSafe)).join("").trimEnd())
        const cells = (sums: (typeof invoice)["total"]) => [
          String(sums.requests),
          String(sums.prompt_tokens),
          String(sums.completion_tokens),
          sums.cost_usd,
          sums.byok_cost_usd,
          sums.fees_usd
        ]
        yield* print(
          columns([
            [by.toUpperCase(), "REQUESTS", "PROMPT", "COMPLETION", "COST", "BYOK COST", "FEES", "NAME"],
            ...invoice.rows.map((row) => [row.entity ?? "(none)", ...cells(row), row.name ?? ""]),
            [invoice.is_final ? "TOTAL" : "TOTAL, NOT FINAL", ...cells(invoice.total), ""]
          ])
        )
      })
    )
).pipe(
  Command.withDescription("What the usage of a month comes to by key, user, workspace or tag, in USD."),
  Command.withExamples([
    { command: "gatewarden invoices --month 2026-03 --by user", description: "As a table" },
    {
      command: "gatewarden invoices --month 2026-03 --by tag --classifier team --dimension name --csv",
      description: "As CSV"
    }
  ])
)

const linesOf = (lines: ReturnType<typeof invoiceCsv>): readonly string[] => {
  for (;;) {
    const step = lines.next()
    if (step.done === true) return step.value
  }
}
