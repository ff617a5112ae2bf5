import { Clock, Context, Fiber } from "effect"
import { onSweep, type Sweeps, sweepMap } from "./sweeps.ts"
import { dayMillis } from "../../value/calendar.ts"

interface DeletedKey {
  readonly hash: string
  readonly account_id: string
  /** `null` for a former secret of a key. */
  readonly user_id: string | null
  readonly external_user: string | null
  /** Epoch milliseconds. */
  readonly deleted_at: number
}

const mostOfAccount = 10_000
const mostMillis = 90 * dayMillis

/**
 * The hashes of deleted keys, so that a refused caller is told what became of a key. By hash, the oldest first. Each deletion removes those
 * that are too many or too old, as in a database.
 */
export class DeletedKeyTable extends Map<string, DeletedKey> {
  readonly #ofAccounts = new Map<string, Set<string>>()

  constructor(sweeps: Sweeps) {
    super()
    onSweep(
      sweeps,
      "deleted_keys",
      sweepMap(this, ({ deleted_at }, before) => deleted_at < before)
    )
  }

  ofAccount(account_id: string): readonly DeletedKey[] {
    return [...(this.#ofAccounts.get(account_id) ?? [])].flatMap((hash) => this.get(hash) ?? [])
  }

  /** In the synchronous step of the deletion, whose fiber has the clock. */
  note(key: Omit<DeletedKey, "deleted_at">): void {
    const context = Fiber.getCurrent()?.context ?? Context.empty()
    const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
    const { hash, account_id } = key
    this.delete(hash)
    this.set(hash, { ...key, deleted_at: now })
    const hashes = this.#ofAccounts.get(account_id) ?? new Set()
    this.#ofAccounts.set(account_id, hashes.add(hash))
    for (const [oldest, { deleted_at }] of this) {
      if (deleted_at >= now - mostMillis) break
      this.delete(oldest)
    }
    for (const oldest of hashes) {
      if (hashes.size <= mostOfAccount) break
      this.delete(oldest)
    }
  }

  override delete(hash: string): boolean {
    const hashes = this.#ofAccounts.get(this.get(hash)?.account_id ?? "")
    hashes?.delete(hash)
    return super.delete(hash)
  }
}
