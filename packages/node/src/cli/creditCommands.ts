/** `gatewarden credits …`: what the operator grants to accounts. Credits report; they block nothing. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { columns } from "./columns.ts"
import { account, json } from "./flags.ts"
import { withConfiguration } from "./withConfiguration.ts"

const amount = Argument.String("amount").pipe(
  Argument.withDescription("Amount in USD, such as 10 or 0.50, with at most 9 decimals.")
)

const note = Flag.String("note").pipe(
  Flag.withDescription("Why, for the audit log: at most 500 characters."),
  Flag.withDefault("")
)

const appending = (name: "grant" | "revoke", store: "grantCredits" | "revokeCredits") =>
  Command.make(name, { amount, account, note, json }, ({ amount, account, note, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const made = yield* callStore(configuration, store, { account, amount, note })
        if (json) return yield* printJson(made)
        yield* print(
          columns([
            ["account", account],
            ["amount USD", made.amount_usd],
            ["granted in all USD", made.total_usd]
          ])
        )
      })
    )
  )

const grant = appending("grant", "grantCredits").pipe(
  Command.withDescription("Grant credits to an account. GET /credits reports them; they limit nothing."),
  Command.withExamples([
    { command: "gatewarden credits grant 100.50 --account acme --note invoice-7", description: "Grant $100.50 to acme" }
  ])
)

const revoke = appending("revoke", "revokeCredits").pipe(
  Command.withDescription("Revoke credits that were granted to an account. What is granted in all stays 0 or more."),
  Command.withExamples([{ command: "gatewarden credits revoke 0.50 --account acme", description: "Take $0.50 back" }])
)

const show = Command.make("show", { account, json }, ({ account, json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const shown = yield* callStore(configuration, "showCredits", { account })
      if (json) return yield* printJson(shown)
      yield* print(
        columns([
          ["granted USD", shown.granted_usd],
          ["used USD", shown.used_usd]
        ])
      )
      if (shown.entries.length > 0)
        yield* print(
          columns([
            ["AT", "AMOUNT", "TOTAL", "NOTE"],
            ...shown.entries.map((entry) => [entry.created_at, entry.amount_usd, entry.total_usd, entry.note])
          ])
        )
    })
  )
).pipe(
  Command.withDescription(
    "Show what an account was granted, what it has used, and its last 20 grants and revocations."
  ),
  Command.withExamples([{ command: "gatewarden credits show --account acme", description: "The credits of acme" }])
)

export const credits = Command.make("credits").pipe(
  Command.withDescription("Credits that accounts were granted, and what they have used."),
  Command.withExamples([
    { command: "gatewarden credits grant 100 --account acme", description: "Grant $100 to the account acme" }
  ]),
  Command.withSubcommands([grant, revoke, show])
)
