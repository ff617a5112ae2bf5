/** Records usage events, for ever. */
import type { Effect, Stream } from "effect"
import { Context } from "effect"
import type { AccountEvents, UsageEvent } from "./UsageEvent.ts"

/** Whose a key is. */
export interface KeyOwner {
  /** Of the key, whichever secret of it was named. */
  readonly hash: string
  readonly account_id: string
  readonly workspace_id: string
  readonly user_id: string | null
  readonly external_user: string | null
  readonly name: string
}

export interface Recorded {
  readonly accepted: number
  readonly duplicates: number
}

export class UsageLog extends Context.Service<
  UsageLog,
  {
    /**
     * Records every event of every chunk, or nothing when the stream fails. The first event with an id wins, within the
     * stream too; the others are duplicates. Counted events are visible to the next read. No lock is held while the stream waits.
     * An event that is counted and was selected is in the stream of deliveries from the same moment on; a duplicate is not.
     */
    readonly record: <E>(
      account_id: string,
      chunks: Stream.Stream<readonly UsageEvent[], E>
    ) => Effect.Effect<Recorded, E>
    /** The same for events of several accounts: all are recorded, or none. An id counts once in its account. */
    readonly recordAll: <E>(chunks: Stream.Stream<readonly AccountEvents[], E>) => Effect.Effect<Recorded, E>
    /** The ids that the account has recorded already. */
    readonly recordedOf: (account_id: string, ids: readonly string[]) => Effect.Effect<ReadonlySet<string>>
    /**
     * Hash, account, workspace and user of API keys, by the hash of a key or of any secret of it; unknown hashes are absent. Without an account, finds keys of every account, for
     * gateway keys, which act in the account of the key that they name.
     */
    readonly keysOf: (
      account_id: string | undefined,
      api_key_hashes: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, KeyOwner>>
  }
>()("gatewarden/UsageLog") {}
