import { Equal } from "effect"
import type { Change } from "../changes/ChangeLog.ts"

/** A table that writes what changes in it to the log of changes, as triggers do in a database. */
export class LoggedMap<V> extends Map<string, V> {
  readonly #log: Change[]
  readonly #changeOf: (row: V, key: string) => Change

  constructor(log: Change[], changeOf: (row: V, key: string) => Change) {
    super()
    this.#log = log
    this.#changeOf = changeOf
  }

  override set(key: string, row: V): this {
    if (!this.has(key) || !Equal.equals(this.get(key), row)) this.#log.push(this.#changeOf(row, key))
    return super.set(key, row)
  }

  override delete(key: string): boolean {
    const row = this.get(key)
    if (row !== undefined) this.#log.push(this.#changeOf(row, key))
    return super.delete(key)
  }
}
