/** Writes what `gatewarden usage export --format focus` exports. */
import type { UsageEventFilter } from "@gatewarden/contract/internal"
import { mostNamed, parseUsd } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { OutputOf } from "../control/storeCommands.ts"
import type { CallStore } from "../control/withStore.ts"
import { type Charge, chargesByDay, readCharge } from "../control/charges.ts"
import { type FocusBill, printCreditRows, printUsageRows } from "../usage/focusRows.ts"

interface Asked {
  readonly bill: FocusBill
  /** With its end. */
  readonly filter: UsageEventFilter
  readonly isSafe: boolean
}

const idsOf = (charges: readonly Charge[], name: "workspace_id" | "api_key_hash"): string[] => [
  ...new Set(charges.flatMap(({ of }) => of[name] ?? []))
]

/** Charges in the order of their days, then credits. Answers how many rows it wrote. */
export const writeFocus = Effect.fnUntraced(function* <E, R>(
  { bill, filter, isSafe }: Asked,
  call: CallStore,
  write: (text: string) => Effect.Effect<void, E, R>,
  progress: (rows: number, bytes: number) => void
) {
  const { account_id } = bill
  let rows = 0
  let bytes = 0
  const put = Effect.fnUntraced(function* (text: string, more: number) {
    if (text !== "") yield* write(text)
    rows += more
    bytes += text.length
    progress(rows, bytes)
  })
  const putCharges = Effect.fnUntraced(function* (charges: readonly Charge[]) {
    const [workspaces, keys] = [idsOf(charges, "workspace_id"), idsOf(charges, "api_key_hash")]
    const names = yield* call("nameCharges", { account_id, workspaces, keys })
    yield* put(printUsageRows(bill, names, isSafe, charges), charges.length)
  })
  // The names of all that is in memory are asked for at once.
  const byDay = chargesByDay(mostNamed)
  let place: OutputOf<"readCharges">["next"]
  do {
    const read: OutputOf<"readCharges"> = yield* call("readCharges", {
      account_id,
      filter,
      ...(place === undefined ? {} : { place })
    })
    yield* Effect.forEach(byDay.add(read.charges.map(readCharge)), putCharges, { discard: true })
    place = read.next
  } while (place !== undefined)
  yield* putCharges(byDay.rest())
  if (isOfAccount(filter)) yield* writeCredits({ bill, filter, isSafe }, call, put)
  return rows
})

/** Credits belong to the account as a whole: an export of a part of its usage has none. */
const isOfAccount = ({ start: _, end: __, ...filter }: UsageEventFilter): boolean =>
  Object.values(filter).every((value) => value === undefined)

const writeCredits = Effect.fnUntraced(function* <E, R>(
  { bill, filter: { start, end }, isSafe }: Asked,
  call: CallStore,
  put: (text: string, rows: number) => Effect.Effect<void, E, R>
) {
  let offset = 0
  // What is granted meanwhile moves the others on: they come twice.
  let before = new Set<string>()
  for (;;) {
    const { entries } = yield* call("listCredits", { account_id: bill.account_id, offset })
    if (entries.length === 0) return
    const due = entries
      .filter(({ id }) => !before.has(id))
      .filter(
        ({ created_at }) => (start === undefined || created_at >= start) && (end === undefined || created_at < end)
      )
      .map(({ amount_usd, ...entry }) => ({ ...entry, amount_nanos: signedNanos(amount_usd) }))
    yield* put(printCreditRows(bill, isSafe, due), due.length)
    before = new Set(entries.map(({ id }) => id))
    offset += entries.length
  }
})

/** `parseUsd` takes no sign. */
const signedNanos = (usd: string): bigint =>
  usd.startsWith("-") ? -(parseUsd(usd.slice(1)) ?? 0n) : (parseUsd(usd) ?? 0n)
