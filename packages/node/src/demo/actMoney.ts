/** Act 1: four processes spend the same dollar at once; one is killed. */
import { formatUsd, parseUsd } from "@gatewarden/core/store"
import { setTimeout as pause } from "node:timers/promises"
import { startNaive } from "./naive.ts"
import { type SpenderOrders, startSpender, type Tally } from "./Spenders.ts"
import type { Cell } from "./Screen.ts"
import type { Stage } from "./Stage.ts"

const limit = 1_000_000_000n
const processes = 4
const callsEach = 100
const millis = 150
/** What the spenders ask for, the shortest there is. */
const holdMillis = 30_000

const usd = (nanos: bigint): string => `$${formatUsd(nanos)}`

interface Watched {
  readonly key: { readonly key: string; readonly hash: string }
  readonly model: string
}

/** The key's own limit as the ledger has it. */
const budgetOf = async ({ gatewarden }: Stage, { key, model }: Watched) => {
  const { budgets } = await gatewarden.explain({ api_key_hash: key.hash, model })
  const own = budgets.find(({ scope }) => scope === "key_limit")
  return {
    spent: parseUsd(own?.spent_usd ?? "0") ?? 0n,
    held: parseUsd(own?.held_usd ?? "0") ?? 0n,
    scopes: budgets.length
  }
}

const total = (tallies: readonly (Tally | undefined)[]) =>
  tallies.reduce<Tally>(
    (sum, each) => ({
      settled: sum.settled + (each?.settled ?? 0),
      cancelled: sum.cancelled + (each?.cancelled ?? 0),
      refused: sum.refused + (each?.refused ?? 0)
    }),
    { settled: 0, cancelled: 0, refused: 0 }
  )

const callsOf = ({ settled, cancelled, refused }: Tally): number => settled + cancelled + refused

/** All of them at once. With one of them doomed, it is the last, and holds money before the others begin. */
const spendAtOnce = async (orders: SpenderOrders, doomed?: number) => {
  const spenders = await Promise.all(Array.from({ length: processes }, startSpender))
  try {
    const last = doomed === undefined ? undefined : spenders.pop()
    const dying = last?.spend({ ...orders, millis: 60_000, ...(doomed === undefined ? {} : { doomed }) })
    await last?.holding
    last?.go()
    const tallies = await Promise.all(spenders.map((spender) => spender.spend(orders)))
    return { tallies, killed: last !== undefined && (await dying) === undefined }
  } finally {
    for (const spender of spenders) spender.stop()
  }
}

/** Looks at the ledger until it is told to stop; the most that was ever spent and held together. */
const watchLedger = (stage: Stage, watched: Watched) => {
  const stop = new AbortController()
  let most = 0n
  let looks = 0
  const watching = (async () => {
    while (!stop.signal.aborted) {
      const { spent, held } = await budgetOf(stage, watched)
      most = spent + held > most ? spent + held : most
      looks++
      await pause(100)
    }
  })()
  return async () => {
    stop.abort()
    await watching
    return { most, looks }
  }
}

/** The rest of the act, once what the dead process held has expired. */
export type Afterwards = () => Promise<void>

export const actMoney = async (stage: Stage): Promise<Afterwards> => {
  const { screen, manage, database } = stage
  screen.act(
    "1  Money",
    "Four processes fire 400 calls of up to $0.02 at once at a key with $1.00, inside a member's $1.50 and a workspace's $5.00.\n" +
      "Every third call is cancelled, a refused one asks once more, and one process is killed (SIGKILL) while its calls hold money."
  )
  await manage("PUT", "/workspaces/default/budgets/daily", { limit_usd: 5 })
  const key = await stage.newKey({ name: "one dollar", limit: 1, creator_user_id: "ada" })
  const { data } = await manage<{ readonly data: { readonly id: string } }>("POST", "/guardrails", {
    name: "Member",
    limit_usd: 1.5,
    reset_interval: "daily"
  })
  await manage("POST", `/guardrails/${data.id}/assignments/members`, { member_user_ids: ["ada"] })
  const watched = { key, model: "acme/small" }
  const { scopes } = await budgetOf(stage, watched)

  const orders: SpenderOrders = {
    mode: "guarded",
    url: `${stage.origin}/api/v1`,
    provider: stage.provider.url,
    managementKey: stage.managementKey,
    api_key_hash: key.hash,
    model: watched.model,
    calls: callsEach,
    millis,
    retries: 1
  }
  const watching = watchLedger(stage, watched)
  screen.progress(`${processes} processes start, hold, settle and cancel`)
  const started = performance.now()
  const { tallies, killed } = await spendAtOnce(orders, 5)
  const diedAt = Date.now()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const { most, looks } = await watching()
  const { spent, held } = await budgetOf(stage, watched)

  screen.progress("the same calls, checked first and charged afterwards")
  const naive = await startNaive(database, limit)
  const { tallies: naiveTallies } = await spendAtOnce({ ...orders, mode: "naive", url: naive.url })
  const naiveSpent = await naive.spent()
  naive.close()

  const line = (name: string, tally: Tally, sum: bigint, still: bigint): readonly Cell[] => [
    name,
    ...[tally.settled, tally.cancelled, tally.refused, processes * callsEach - callsOf(tally)].map(String),
    usd(sum),
    usd(still),
    sum > limit ? { text: usd(sum - limit), tone: "bad" } : { text: usd(0n), tone: "good" }
  ]
  screen.table(
    ["", "settled", "cancelled", "refused", "killed", "spent", "held", "overshoot"],
    [
      line("hold, then settle", total(tallies), spent, held),
      line("check, charge (naive)", total(naiveTallies), naiveSpent, 0n)
    ]
  )
  const [events] = await database.query(
    "select coalesce(sum(cost_nanos), 0)::text as nanos, count(*)::int as count from gatewarden_usage_event where api_key_hash = $1",
    [key.hash]
  )
  const recorded = BigInt(String(events?.["nanos"]))
  screen.claim(
    "the dollar is not overshot, by the events in the database",
    recorded <= limit && recorded === spent,
    `${String(events?.["count"])} events of ${usd(recorded)} together, ${scopes} budgets in one step, ${seconds} s`
  )
  screen.claim("spent and held together never pass it", most <= limit, `at most ${usd(most)} in ${looks} looks`)
  // All others settled or gave back, so only a dead process leaves a hold open until it expires, which a slow machine may see first.
  const [left] = await database.query(
    "select coalesce(sum(nanos), 0)::text as nanos from gatewarden_hold where state in ('open', 'expired')"
  )
  const kept = BigInt(String(left?.["nanos"]))
  screen.claim("a killed process holds money", killed && kept > 0n, `${usd(kept)} until it expires`)

  return async () => {
    screen.act("1  Money, afterwards", "What the dead process held expires 30 seconds after it was admitted.")
    const deadline = Date.now() + 35_000
    const heldNow = async () => (await budgetOf(stage, watched)).held
    for (let still = await heldNow(); still > 0n && Date.now() < deadline; still = await heldNow()) {
      const seconds = Math.max(0, Math.ceil((diedAt + holdMillis - Date.now()) / 1000))
      screen.progress(`${usd(still)} is still held; waiting until it expires, in about ${seconds} s`)
      await pause(500)
    }
    const now = await budgetOf(stage, watched)
    const rest = limit - now.spent
    // That the books say so is one thing; that the money can be had again is another.
    const again = await stage.gatewarden.admit({
      api_key: key.key,
      model: watched.model,
      max_cost_usd: formatUsd(rest)
    })
    const more = await stage.gatewarden.admit({ api_key: key.key, model: watched.model, max_cost_usd: "0.000000001" })
    await stage.gatewarden.cancel(again.id)
    const open = await database.query("select 1 from gatewarden_hold where state = 'open'")
    screen.claim(
      "no hold leaks: all that is left of the dollar can be held again, and not a nano-dollar more",
      now.held === 0n && again.decision === "allow" && more.decision === "deny" && open.length === 0,
      `${usd(rest)} again, ${open.length} open holds`
    )
  }
}
