/**
 * What was changed, as every process of an installation learns it: the store writes it in the transaction of the change, so a
 * change that counts is in the log, and one that was undone is not.
 *
 * A change says that something is no longer what it was, not what it became; whoever remembers it asks anew.
 * Rule: access#changes-take-effect.
 */
import { Context, type Effect } from "effect"

/**
 * What `id` names: an account that was suspended or resumed; a key (its hash) with all that was put on it; a member (the user) with the guardrail on it; a guardrail; a
 * workspace with its settings, members and budgets; the workspace whose upstream credentials or presets changed; or, for the
 * catalog, nothing, as it belongs to the whole installation and has no `account_id` either.
 */
export type ChangeTopic = "account" | "key" | "member" | "guardrail" | "workspace" | "credential" | "preset" | "catalog"

export interface Change {
  readonly account_id: string | null
  readonly topic: ChangeTopic
  readonly id: string
}

/** `everything`: there were too many to tell, or nothing is known of what came before. */
export type Changes = readonly Change[] | "everything"

export interface ChangesRead {
  /** Where to read on: only the store knows what it means. */
  readonly position: string
  readonly changes: Changes
}

/** More than these are not told one by one. */
export const maxChanges = 1_000

/** Rows that one call of `prune` looks at. */
export const pruneBatch = 5_000

export class ChangeLog extends Context.Service<
  ChangeLog,
  {
    /**
     * Each change that became visible after the position was read, once, whatever the order in which they were begun; `everything`
     * without a position.
     */
    readonly since: (position: string | undefined) => Effect.Effect<ChangesRead>
    /** Forgets the oldest changes that are older than this, a batch of them; answers how many. */
    readonly prune: (olderThanSeconds: number) => Effect.Effect<number>
    /**
     * Tells the other processes that there may be something to read, soon: whoever announces waits for nothing, and many
     * announcements become one. It may be lost. To be called after the commit.
     */
    readonly announce: Effect.Effect<void>
    /**
     * Runs `onAnnounced` whenever another process has announced something, once for many that come together, for as long as it
     * is let. Ends at once where nobody can be heard.
     */
    readonly hear: (onAnnounced: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("gatewarden/ChangeLog") {}
