/** How much of a kind of thing an account or a workspace keeps, so that storage quotas cost no count of rows. */
import { Context, type Effect } from "effect"
import type { StoredKind } from "./storageQuotas.ts"

export interface StoredAmount {
  readonly rows: number
  readonly bytes: number
}

export class StoredAmounts extends Context.Service<
  StoredAmounts,
  {
    /**
     * What the account keeps, or with a workspace what that workspace of the account keeps, of files and versions of presets alone.
     * Costs the same however much that is. Bytes are those of file contents and of presets; 0 for other kinds.
     */
    readonly kept: (account_id: string, workspace_id: string | null, kind: StoredKind) => Effect.Effect<StoredAmount>
  }
>()("gatewarden/StoredAmounts") {}
