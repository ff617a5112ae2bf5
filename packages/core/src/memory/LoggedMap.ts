import { Equal } from "effect"
import type { Change } from "../stream/ChangeLog.ts"

/** A table that writes what changes in it to the log of changes, as triggers do in a database. */
export class LoggedMap<V> extends Map<string, V> {
  readonly #log: Change[]
  readonly #changeOf: (row: V, key: string) => Change
  readonly #counts = new Map<string, number>()

  constructor(log: Change[], changeOf: (row: V, key: string) => Change) {
    super()
    this.#log = log
    this.#changeOf = changeOf
  }

  /** How many rows of the account there are. */
  countOf(account_id: string): number {
    return this.#counts.get(account_id) ?? 0
  }

  #count(row: V, key: string, change: 1 | -1): void {
    const { account_id } = this.#changeOf(row, key)
    if (account_id !== null) this.#counts.set(account_id, this.countOf(account_id) + change)
  }

  override set(key: string, row: V): this {
    if (!this.has(key) || !Equal.equals(this.get(key), row)) this.#log.push(this.#changeOf(row, key))
    if (!this.has(key)) this.#count(row, key, 1)
    return super.set(key, row)
  }

  override delete(key: string): boolean {
    const row = this.get(key)
    if (row !== undefined) {
      this.#log.push(this.#changeOf(row, key))
      this.#count(row, key, -1)
    }
    return super.delete(key)
  }
}
