import type { Noun } from "@gatewarden/contract/internal"
import { Context, type Effect } from "effect"

/** Which entity changed. A cache that holds it asks anew. */
export interface Change {
  /** `null`: the installation's catalog, which belongs to no account. */
  readonly account_id: string | null
  readonly noun: Noun
  /**
   * The hash of a key, also for its assignment and its rate limits; the user of a member; the slug of a preset; the interval of a
   * budget; nothing for a catalog; otherwise the id.
   */
  readonly id: string
  /** The workspace that the entity lives in, or is; `null` where it lives in none. */
  readonly workspace_id: string | null
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

/**
 * The stream of changes: what was configured, by whom, before and after. The store appends a row in the transaction of the change, so a
 * change that is committed is in the stream, and one that was rolled back is not.
 *
 * Caches read it by position and forget what changed; the audit log (`AuditLog`) lists the same rows.
 * Rule: access#changes-take-effect.
 */
export class ChangeLog extends Context.Service<
  ChangeLog,
  {
    /**
     * Each change that became visible after the position was read, once, whatever the order in which they were begun; `everything`
     * without a position.
     */
    readonly since: (position: string | undefined) => Effect.Effect<ChangesRead>
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
