/**
 * A process of several that spend the same money: it asks for holds, many at once, and settles, gives back, drops or forgets them;
 * it imports events of the same keys meanwhile. Prints `ready` once it is connected, begins when it is told something on its standard
 * input, prints a line for each thing done, and `done` at the end.
 *
 * Arguments: the URL of a PostgreSQL database, a name that no other process has, the account, how many requests, and `spend` or
 * `open`: one key, or ever other ones so that windows open all the time.
 */
import { BudgetInterval } from "@gatewarden/contract"
import { type Budget, BudgetLedger, UsageLog } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Fiber, Redacted, Stream } from "effect"
import { hash } from "node:crypto"
import { once } from "node:events"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { key_hash, limits, spentTogether, user_id, workspace_id } from "./spentBudgets.ts"

const [url = "", name = "", account_id = "", count = "0", mode = "spend"] = process.argv.slice(2)
const intervals = BudgetInterval.options
const say = (text: string) => Effect.sync(() => console.log(text))
const now = () => new Date().toISOString()

/** 0 to below `below`, the same in every run of a process of this name. */
const chance = (index: number, what: string, below: number): number =>
  Number.parseInt(hash("sha256", `${name}/${index}/${what}`, "hex").slice(0, 8), 16) % below

const keyOf = (index: number): string => (mode === "spend" ? key_hash : hash("sha256", `key ${index % 60}`, "hex"))

/** Another interval each time, so that a key's windows open while some of its money is held already. */
const budgetsOf = (key: string, index: number): readonly Budget[] =>
  mode === "spend"
    ? spentTogether
    : spentTogether.map((budget) => ({
        ...budget,
        ...(budget.entity === key_hash
          ? { entity: key, interval: intervals[chance(index, "interval", intervals.length)] ?? "daily" }
          : {}),
        limit_nanos: limits.ample
      }))

const event = (id: string, key: string, cost_nanos: number) =>
  spendingEvent({
    id,
    created_at: now(),
    workspace_id,
    api_key_hash: key,
    user_id,
    cost_nanos: BigInt(cost_nanos)
  })

const request = Effect.fnUntraced(function* (index: number) {
  const ledger = yield* BudgetLedger
  const key = keyOf(index)
  const admission_id = `${name}-${index}`
  const cost = 1 + chance(index, "cost", 20_000_000)
  if (mode === "open" && chance(index, "import", 2) === 0) {
    yield* (yield* UsageLog).record(account_id, Stream.succeed([event(`import-${admission_id}`, key, cost)]))
    return yield* say("imported")
  }
  const asking = ledger.hold(account_id, {
    admission_id,
    workspace_id,
    key_hash: key,
    user_id,
    budgets: budgetsOf(key, index),
    costs: [{ nanos: BigInt(cost), byok: false }],
    hold_seconds: limits.hold_seconds
  })
  const fate = chance(index, "fate", 9)
  if (fate === 0) {
    // Whoever asked goes away while the statement is on its way.
    const fiber = yield* Effect.forkChild(asking)
    yield* Effect.sleep(chance(index, "patience", 15))
    yield* Fiber.interrupt(fiber)
    return yield* say("interrupted")
  }
  const outcome = yield* asking
  if (!outcome.held) return yield* say("denied")
  yield* say("held")
  if (fate === 1) return yield* say("forgotten")
  if (fate <= 3) {
    yield* ledger.release(account_id, admission_id)
    return yield* say("released")
  }
  const settling = ledger.settle(account_id, event(admission_id, key, 1 + chance(index, "actual", cost)))
  yield* fate === 4 ? Effect.all([settling, settling], { concurrency: 2 }) : settling
  yield* say("settled")
})

const toBegin = Effect.gen(function* () {
  yield* (yield* BudgetLedger).states(account_id, workspace_id, spentTogether)
  yield* say("ready")
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.destroy()
})

const all = Effect.forEach(
  Array.from({ length: Number(count) }, (_, index) => index),
  request,
  { concurrency: mode === "spend" ? 50 : 12, discard: true }
)

// Who waits for a lock waits for another process, which on a busy machine may not get its turn for seconds.
const store = layerPostgresStore({ url: Redacted.make(url), migrate: "off", statementTimeoutMillis: 0 })

await Effect.runPromise(Effect.scoped(Effect.provide(Effect.andThen(toBegin, all), store)))
console.log("done")
