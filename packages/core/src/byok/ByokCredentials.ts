/** The BYOK credentials of workspaces, encrypted. */
import type { ByokCredential } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { Oversized } from "../limits/entityBytes.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import type { ByokChange } from "./byokChange.ts"
import type { SealedKey } from "./sealKey.ts"

export interface SealedCredential extends ByokCredential {
  readonly sealed_key: Uint8Array
}

export class ByokCredentials extends Context.Service<
  ByokCredentials,
  {
    /**
     * Appends to the credentials of its workspace, provider and group (fallback or not) with the next `sort_order`. None when the
     * workspace does not exist (any more).
     */
    readonly insert: (
      account_id: string,
      credential: Omit<ByokCredential, "sort_order">,
      sealed_key: Uint8Array
    ) => Effect.Effect<Option.Option<ByokCredential>>
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<ByokCredential>>
    /**
     * Applies a change. A credential that changes its group is appended there; no other is renumbered.
     * `only_and_fallback`: the result would be both `is_byok_only` and `is_fallback`; nothing was written.
     */
    readonly update: (
      account_id: string,
      id: string,
      change: ByokChange & Partial<SealedKey>
    ) => Effect.Effect<ByokCredential | Oversized | "missing" | "only_and_fallback">
    /** Deletes the credential with its encrypted key. Answers what was deleted, none when there was no such credential. */
    readonly remove: (account_id: string, id: string) => Effect.Effect<Option.Option<ByokCredential>>
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string; readonly provider?: string | undefined },
      page: PageRequest
    ) => Effect.Effect<Page<ByokCredential>>
    /** Every credential of a workspace for a provider, whoever may use it, with its key still encrypted. */
    readonly sealed: (
      account_id: string,
      workspace_id: string,
      provider: string
    ) => Effect.Effect<readonly SealedCredential[]>
  }
>()("gatewarden/ByokCredentials") {}
