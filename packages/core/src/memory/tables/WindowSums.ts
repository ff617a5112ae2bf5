/**
 * Amounts summed by window as they come and go: what windows have spent, or what is held in them.
 *
 * An amount counts in the windows of every interval of all its spenders, whichever budgets watch them, so that a
 * budget that is set later reads its window in one look.
 */
import { BudgetInterval } from "@gatewarden/contract"
import type { Budget } from "../../ports/ledger.ts"
import { type Amounts, countedBy } from "../../ledger/judgeHolds.ts"
import { windowStart } from "../../ledger/LedgerClock.ts"
import { type Spender, spenderNameOf, spenderOf, spenders } from "../../ledger/budgetsOf.ts"

/** Who spends. */
export type Entities = Readonly<Record<Spender, string | null>>

export const nothing: Amounts = { nanos: 0n, byok_nanos: 0n }

export const sum = (a: Amounts, b: Amounts): Amounts => ({
  nanos: a.nanos + b.nanos,
  byok_nanos: a.byok_nanos + b.byok_nanos
})

export const negated = ({ nanos, byok_nanos }: Amounts): Amounts => ({ nanos: -nanos, byok_nanos: -byok_nanos })

const placeOf = (
  account_id: string,
  spender: Spender,
  entity: string,
  interval: BudgetInterval,
  window_start: number | null
) => `${account_id} ${spender} ${entity} ${interval} ${window_start}`

export class WindowSums {
  readonly #sums = new Map<string, Amounts>()

  /** `at` in epoch milliseconds: the windows that hold it. */
  add(account_id: string, entities: Entities, at: number, amounts: Amounts): void {
    for (const interval of BudgetInterval.options) {
      const window_start = windowStart(interval, at)
      for (const spender of spenders) {
        const entity = entities[spender]
        if (entity === null) continue
        const place = placeOf(account_id, spender, entity, interval, window_start)
        const total = sum(this.#sums.get(place) ?? nothing, amounts)
        if (total.nanos === 0n && total.byok_nanos === 0n) this.#sums.delete(place)
        else this.#sums.set(place, total)
      }
    }
  }

  subtract(account_id: string, entities: Entities, at: number, amounts: Amounts): void {
    this.add(account_id, entities, at, negated(amounts))
  }

  /** What one user has spent was another's. */
  renameUser(account_id: string, from: string, to: string): void {
    // A name may have spaces: what follows it is an interval and a start, after a workspace if the spender is one in a workspace.
    for (const [spender, words] of [
      ["user", 2],
      ["workspace_user", 3]
    ] as const) {
      const [before, after] = [from, to].map((name) => `${account_id} ${spender} ${name} `) as [string, string]
      for (const [place, amounts] of [...this.#sums]) {
        const window = place.startsWith(before) ? place.slice(before.length) : ""
        if (window.split(" ").length !== words) continue
        this.#sums.delete(place)
        this.#sums.set(after + window, sum(this.#sums.get(after + window) ?? nothing, amounts))
      }
    }
  }

  amounts(
    account_id: string,
    spender: Spender,
    entity: string,
    interval: BudgetInterval,
    start: number | null
  ): Amounts {
    return this.#sums.get(placeOf(account_id, spender, entity, interval, start)) ?? nothing
  }

  /** `workspace_id`: of the requests that the budget limits. */
  of(account_id: string, workspace_id: string, budget: Budget, window_start: number | null): bigint {
    const name = spenderNameOf(budget, workspace_id)
    return countedBy(budget, this.amounts(account_id, spenderOf(budget), name, budget.interval, window_start))
  }
}
