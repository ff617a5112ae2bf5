/** How much an account or a workspace stores of each kind, so that checking a quota counts no rows. */
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
     * The amount of the account, or with a workspace the amount of that workspace, for files and versions of presets only. The cost does
     * not depend on the amount. Bytes are those of file contents, presets and stored responses; 0 for other kinds.
     */
    readonly kept: (account_id: string, workspace_id: string | null, kind: StoredKind) => Effect.Effect<StoredAmount>
  }
>()("gatewarden/StoredAmounts") {}
