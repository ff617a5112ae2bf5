/**
 * The running processes of an installation and the ids of their keys, so that a rotation finds a process whose keyring differs.
 *
 * A process repeats its announcement while it runs. The store's clock (`LedgerClock`) decides when an announcement ends.
 *
 * Rule: secrets#key-rotation.
 */
import { Context, type Effect } from "effect"

export interface AnnouncedProcess {
  /** Random, new for each instance. */
  readonly id: string
  /** The name of the machine; empty if the runtime does not tell it. */
  readonly host: string
  /** The process id; `null` if the runtime has none. */
  readonly pid: number | null
  /** The ids of its keys, the one that encrypts first. Never a key. */
  readonly key_ids: readonly string[]
}

export interface RunningProcess extends AnnouncedProcess {
  /** ISO 8601, by the clock of the store. */
  readonly started_at: string
}

export class Processes extends Context.Service<
  Processes,
  {
    /** Writes the announcement, or extends it, to `seconds` from now. Removes announcements that have ended. */
    readonly announce: (process: AnnouncedProcess, seconds: number) => Effect.Effect<void>
    /** Removes the announcement of a process that ends. */
    readonly withdraw: (id: string) => Effect.Effect<void>
    /** Announcements that have not ended, the oldest process first. */
    readonly running: Effect.Effect<readonly RunningProcess[]>
  }
>()("gatewarden/Processes") {}
