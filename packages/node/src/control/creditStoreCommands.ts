/** What the command line does to credits. */
import { CreditGrant, text } from "@gatewarden/contract/internal"
import { grantCredits, Credits, defaultAccountName, formatUsd, parseUsd } from "@gatewarden/core/internal"
import { Effect } from "effect"
import * as z from "zod"
import { failed } from "../failure/Failed.ts"
import { command } from "../store/StoreCommand.ts"
import { accountNamed } from "./accountNamed.ts"

const named = z.object({ account: z.string().default(defaultAccountName) })

/** Entries that are shown, the latest ones. */
const shownEntries = 20

const append = Effect.fnUntraced(function* (input: z.output<typeof Entry>, sign: 1n | -1n) {
  const { id } = yield* accountNamed(input.account)
  const made = yield* grantCredits(id, sign * (parseUsd(input.amount) ?? 0n), input.note)
  if (made === "missing") return yield* failed("missing", `There is no account "${input.account}"`)
  if (made !== "out_of_range") return made
  const { granted_nanos } = yield* (yield* Credits).totals(id)
  return yield* failed(
    "failure",
    `The account "${input.account}" has been granted ${formatUsd(granted_nanos)} USD in all; that must stay from 0 to 1000000000`
  )
})

const Entry = named.extend({
  amount: z
    .string()
    .refine(
      (amount) => (parseUsd(amount) ?? 0n) !== 0n,
      "Expected an amount of USD above 0, such as 10 or 0.50, with at most 9 decimals"
    ),
  note: text(0, 500).default("")
})

export const creditCommands = {
  grantCredits: command({ input: Entry, output: CreditGrant, run: (input) => append(input, 1n) }),
  revokeCredits: command({ input: Entry, output: CreditGrant, run: (input) => append(input, -1n) }),
  showCredits: command({
    input: named,
    output: z.object({ granted_usd: z.string(), used_usd: z.string(), entries: z.array(CreditGrant) }),
    run: Effect.fnUntraced(function* (input) {
      const { id } = yield* accountNamed(input.account)
      const credits = yield* Credits
      const { granted_nanos, spent_nanos } = yield* credits.totals(id)
      const entries = yield* credits.list(id, { offset: 0, limit: shownEntries })
      return { granted_usd: formatUsd(granted_nanos), used_usd: formatUsd(spent_nanos), entries: [...entries] }
    })
  })
} as const
