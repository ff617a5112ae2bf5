/** Jobs that give the memberships of all mapped groups anew. Of an account the last one is kept. */
import { Context, type Effect, type Option } from "effect"

/** Rule: scim#sync-jobs. */
export interface SyncJob {
  readonly id: string
  readonly status: "queued" | "running" | "succeeded"
  readonly synced_groups: number
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** What a batch did: how many groups it settled or jobs it ended, and the keys that it disabled. */
export interface SyncedGroups {
  readonly handled: number
  readonly keys: readonly { readonly account_id: string; readonly hash: string; readonly workspace_id: string | null }[]
}

export class SyncJobs extends Context.Service<
  SyncJobs,
  {
    /** The account's job that is not finished; else this one, in place of the last one. */
    readonly start: (account_id: string, id: string, now: string) => Effect.Effect<SyncJob>
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<SyncJob>>
    /** Settles the next group of the oldest job of the installation that is not finished, or ends the job; 0 when there is none. */
    readonly advance: (now: string) => Effect.Effect<SyncedGroups>
  }
>()("gatewarden/SyncJobs") {}
