import { Equal } from "effect"
import type { Facts } from "../stream/AuditLog.ts"
import type { Change } from "../stream/ChangeLog.ts"
import type { RecordedChanges } from "./RecordedChanges.ts"

export interface Described {
  readonly change: Change
  readonly facts: Facts
}

/** A table that appends what changes in it to the stream of changes, as triggers do in a database. */
export class LoggedMap<V> extends Map<string, V> {
  readonly #log: RecordedChanges
  readonly #describe: (row: V, key: string) => Described | undefined
  readonly #counts = new Map<string, number>()

  /** `describe`: what the row shows of an entity; undefined for a row that nobody sees, such as a file that is still arriving. */
  constructor(log: RecordedChanges, describe: (row: V, key: string) => Described | undefined) {
    super()
    this.#log = log
    this.#describe = describe
  }

  /** How many rows of the account there are. */
  countOf(account_id: string): number {
    return this.#counts.get(account_id) ?? 0
  }

  #count(described: Described | undefined, change: 1 | -1): void {
    const account_id = described?.change.account_id ?? null
    if (account_id !== null) this.#counts.set(account_id, this.countOf(account_id) + change)
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
    this.#count(before, -1)
    this.#count(after, 1)
    const change = after?.change ?? before?.change
    if (change !== undefined) this.#log.record(change, before?.facts, after?.facts)
    return this
  }

  override delete(key: string): boolean {
    const before = this.#describedAt(key)
    const isDeleted = super.delete(key)
    this.#count(before, -1)
    if (before !== undefined) this.#log.record(before.change, before.facts, undefined)
    return isDeleted
  }
}
