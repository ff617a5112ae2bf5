/** Where usage events are recorded, for ever. */
import type { Effect, Stream } from "effect"
import { Context } from "effect"
import type { UsageEvent } from "./UsageEvent.ts"

export interface Recorded {
  readonly accepted: number
  readonly duplicates: number
}

export class UsageLog extends Context.Service<
  UsageLog,
  {
    /**
     * Records every event of every chunk, or nothing when the stream fails. The first event with an id wins, within the
     * stream too; the others are duplicates. What is counted is visible to the next read. Nothing is locked while the
     * stream waits.
     */
    readonly record: <E>(
      account_id: string,
      chunks: Stream.Stream<readonly UsageEvent[], E>
    ) => Effect.Effect<Recorded, E>
    /** Which of the ids the account has recorded already. */
    readonly recordedOf: (account_id: string, ids: readonly string[]) => Effect.Effect<ReadonlySet<string>>
    /** The workspaces of the account's keys, by hash; hashes that name no normal key of the account are absent. */
    readonly workspacesOf: (
      account_id: string,
      api_key_hashes: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, string>>
  }
>()("gatewarden/UsageLog") {}
