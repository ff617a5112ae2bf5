import { Equal } from "effect"
import type { Change } from "../../ports/changeLog.ts"
import type { Facts } from "../../ports/auditLog.ts"
import type { RecordedChanges } from "./RecordedChanges.ts"

export interface Described {
  readonly change: Change
  readonly facts: Facts
}

/** A table that appends what changes in it to the stream of changes, as triggers do in a database. */
export class LoggedMap<V> extends Map<string, V> {
  readonly #log: RecordedChanges
  readonly #describe: (row: V, key: string) => Described | undefined
  /** By account, the keys of its rows, in the order of the table. */
  readonly #keys = new Map<string, Set<string>>()

  /** `describe`: what the row shows of an entity; undefined for a row that nobody sees, such as a file that is still arriving. */
  constructor(log: RecordedChanges, describe: (row: V, key: string) => Described | undefined) {
    super()
    this.#log = log
    this.#describe = describe
  }

  /** How many rows of the account there are. */
  countOf(account_id: string): number {
    return this.#keys.get(account_id)?.size ?? 0
  }

  /** The rows of the account, in the order of the table: a look at one account costs nothing for those of others. */
  ofAccount(account_id: string): V[] {
    const rows: V[] = []
    for (const key of this.#keys.get(account_id) ?? []) {
      const row = this.get(key)
      if (row !== undefined) rows.push(row)
    }
    return rows
  }

  /** Moves the key from the account that had the row to the one that has it. */
  #own(key: string, before: Described | undefined, after: Described | undefined): void {
    const [former, next] = [before?.change.account_id ?? null, after?.change.account_id ?? null]
    if (former === next) return
    if (former !== null) {
      const keys = this.#keys.get(former)
      keys?.delete(key)
      if (keys?.size === 0) this.#keys.delete(former)
    }
    if (next === null) return
    const keys = this.#keys.get(next)
    if (keys === undefined) this.#keys.set(next, new Set([key]))
    else keys.add(key)
  }

  #describedAt(key: string): Described | undefined {
    const row = this.get(key)
    return row === undefined ? undefined : this.#describe(row, key)
  }

  override set(key: string, row: V): this {
    const isSame = this.has(key) && Equal.equals(this.get(key), row)
    if (isSame) return super.set(key, row)
    const before = this.#describedAt(key)
    const after = this.#describe(row, key)
    super.set(key, row)
    this.#own(key, before, after)
    const change = after?.change ?? before?.change
    if (change !== undefined) this.#log.record(change, before?.facts, after?.facts)
    return this
  }

  override delete(key: string): boolean {
    const before = this.#describedAt(key)
    const isDeleted = super.delete(key)
    this.#own(key, before, undefined)
    if (before !== undefined) this.#log.record(before.change, before.facts, undefined)
    return isDeleted
  }
}
