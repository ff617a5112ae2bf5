/**
 * Several processes that spend the same money on one PostgreSQL, many requests at once, some given back, some dropped half-way, one
 * process killed: judged by what the database itself saw.
 *
 * Rule: money#no-overspending: `spent + held <= limit` at every admission, on any number of processes; nothing leaks past an
 * expiry.
 */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { BudgetLedger } from "@gatewarden/core/store"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { limits, spentTogether, workspace_id } from "@gatewarden/testkit/server/spentBudgets"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const spender = fileURLToPath(new URL("../../testkit/dist/server/spendBudget.js", import.meta.url))
const running: ChildProcess[] = []
afterEach(() => running.splice(0).forEach((child) => child.kill("SIGKILL")))

interface Spender {
  readonly begin: () => void
  readonly counts: () => Readonly<Record<string, number>>
  readonly ended: Promise<void>
  readonly kill: () => void
}

const spend = (...args: readonly string[]): Spender => {
  const child = spawn(process.execPath, [spender, ...args], { stdio: "pipe" })
  running.push(child)
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  return {
    begin: () => void child.stdin.write("begin\n"),
    counts: () => {
      const counts: Record<string, number> = {}
      for (const line of stdout.split("\n")) counts[line] = (counts[line] ?? 0) + 1
      return counts
    },
    ended: once(child, "close").then(() => {
      if (child.signalCode !== "SIGKILL") assert.strictEqual(child.exitCode, 0, stderr)
    }),
    kill: () => void child.kill("SIGKILL")
  }
}

const allReady = (spenders: readonly Spender[]): Promise<unknown> =>
  eventually("all processes to be ready", async () =>
    spenders.every(({ counts }) => counts()["ready"] === 1) ? true : undefined
  )

const ledgerOn = <A>(url: string, use: (ledger: BudgetLedger["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Effect.flatMap(BudgetLedger, use).pipe(
      Effect.provide(layerPostgresStore({ url: Redacted.make(url) })),
      Effect.scoped
    )
  )

/** Every state that a window was ever in, as the database wrote it down, in the order in which it was. */
const withHistory = `
  create table history (n bigint generated always as identity, window_id bigint, held_before numeric, spent numeric, held numeric);
  create function note() returns trigger language plpgsql as $$ begin
    insert into history (window_id, held_before, spent, held) values (new.id, old.full_held_nanos, new.spent_nanos, new.full_held_nanos);
    return null;
  end $$;
  create trigger noted after update on gatewarden_budget_window for each row execute function note()`

const prepared = async (): Promise<string> => {
  const url = await createMigratedDatabase(inject("postgres"))
  await ledgerOn(url, () => Effect.void)
  return url
}

describe("a ledger that several processes use", () => {
  it("never passes a limit, and gives back what a killed process held", async () => {
    const url = await prepared()
    await execute(url, ...withHistory.split(/;\n  (?=create)/))
    const account_id = crypto.randomUUID()
    // So many that it cannot be through before it is killed.
    const victim = spend(url, "one", account_id, "100000", "spend")
    const others = ["two", "three", "four"].map((name) => spend(url, name, account_id, "150", "spend"))
    const spenders = [victim, ...others]
    await allReady(spenders)
    // Whoever comes late to a budget gets none of it: the victim holds some before the others may.
    victim.begin()
    await eventually("the victim to hold some", async () => ((victim.counts()["held"] ?? 0) >= 1 ? true : undefined))
    for (const { begin } of others) begin()
    await eventually("the victim to be in the midst of it", async () =>
      (victim.counts()["settled"] ?? 0) >= 3 ? true : undefined
    )
    victim.kill()
    await Promise.all(spenders.map(({ ended }) => ended))
    assert.isUndefined(victim.counts()["done"])
    for (const { counts } of others) assert.strictEqual(counts()["done"], 1)

    const [seen] = await execute(
      url,
      `select ((select count(*) from gatewarden_hold)
          + (select count(*) from gatewarden_usage_event where charged_at is not null))::int as admissions, count(*)::int as steps,
        max(h.spent + h.held)::text as most, w.spender, w.interval
       from history h join gatewarden_budget_window w on w.id = h.window_id
       where h.held > h.held_before and w.spender = 'key' group by w.spender, w.interval`
    )
    assert.isAtLeast(Number(seen?.["admissions"]), 50)
    // Those of one process that were decided together are one step: what it leaves is the most that any of them saw.
    assert.isAtLeast(Number(seen?.["steps"]), 4)
    const passed = await execute(
      url,
      `select * from history h join gatewarden_budget_window w on w.id = h.window_id
       where h.held > h.held_before and h.spent + h.held > case w.spender
         when 'key' then ${limits.key} when 'user' then ${limits.member} else ${limits.workspace} end`
    )
    assert.isEmpty(passed)
    // Every window is what its events come to, and no event was charged twice.
    const [sums] = await execute(
      url,
      `select (select sum(cost_nanos) from gatewarden_usage_event)::text as events,
        (select array_agg(distinct spent_nanos)::text from gatewarden_budget_window) as windows`
    )
    assert.strictEqual(sums?.["windows"], `{${String(sums?.["events"])}}`)
    const states = await eventually("everything that nobody settled to expire", async () => {
      const now = await ledgerOn(url, (ledger) => ledger.states(account_id, workspace_id, spentTogether))
      return now.every(({ held_nanos }) => held_nanos === 0n) ? now : undefined
    })
    for (const { budget, spent_nanos } of states) assert.isTrue(spent_nanos <= budget.limit_nanos)
    const total = spenders.reduce<Record<string, number>>((all, { counts }) => {
      for (const [word, count] of Object.entries(counts())) all[word] = (all[word] ?? 0) + count
      return all
    }, {})
    console.info(
      `spent ${states[0]?.spent_nanos} of ${limits.key}, most spent and held ${String(seen?.["most"])}, ${String(seen?.["admissions"])} admissions in ${String(seen?.["steps"])} steps: ${JSON.stringify(total)}`
    )
    assert.isAbove(total["denied"] ?? 0, 0)
  })

  it("starts windows with every event and every hold there is, while others record, hold and give back", async () => {
    const url = await prepared()
    const account_id = crypto.randomUUID()
    const spenders = ["one", "two", "three", "four"].map((name) => spend(url, name, account_id, "400", "open"))
    await allReady(spenders)
    for (const { begin } of spenders) begin()
    await Promise.all(spenders.map(({ ended }) => ended))
    const wrong = await execute(
      url,
      `select * from (
        select w.*, (select coalesce(sum(e.cost_nanos), 0) from gatewarden_usage_event e
          where coalesce(e.charged_at, e.created_at) >= w.window_start and coalesce(e.charged_at, e.created_at) < w.window_end
            and w.entity = case w.spender when 'key' then e.api_key_hash when 'user' then e.user_id else e.workspace_id::text end) as sum,
          (select coalesce(sum(h.nanos), 0) from gatewarden_hold h
          where h.state = 'open' and h.held_at >= w.window_start and h.held_at < w.window_end
            and w.entity = case w.spender when 'key' then h.key_hash when 'user' then h.user_id else h.workspace_id::text end) as held
        from gatewarden_budget_window w
      ) w where spent_nanos <> sum or held_nanos <> held`
    )
    assert.isEmpty(wrong)
    const [counted] = await execute(
      url,
      `select (select count(*) from gatewarden_budget_window)::int as windows, (select count(*) from gatewarden_usage_event)::int as events,
        (select count(*) from gatewarden_hold where state = 'open')::int as open`
    )
    console.info(JSON.stringify(counted))
    assert.isAbove(Number(counted?.["windows"]), 50)
    assert.isAbove(Number(counted?.["open"]), 0)
  })
})
