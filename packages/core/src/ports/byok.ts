import type { ByokCredential } from "@gatewarden/contract/internal"
import { Context, Effect, type Option } from "effect"
import type { Oversized } from "./limits.ts"
import { type Page, type PageRequest } from "../value/Page.ts"
import { type EncryptionContext } from "../vault/Vault.ts"

export interface SealedCredential extends ByokCredential {
  readonly sealed_key: Uint8Array
}

/** The BYOK credentials of workspaces, encrypted. Rule: byok#order-of-credentials. */
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
    /** Every credential of a workspace for a provider, or the one of an id, whoever may use it, with its key still encrypted. */
    readonly sealed: (
      account_id: string,
      workspace_id: string,
      provider: string,
      id?: string
    ) => Effect.Effect<readonly SealedCredential[]>
  }
>()("gatewarden/ByokCredentials") {}

/** The fields that a request may set, except the key. */
export type ByokFields = Omit<
  ByokCredential,
  "id" | "workspace_id" | "provider" | "label" | "sort_order" | "created_at"
>

/**
 * Maps the fields of a request to the stored values that they set.
 *
 * Rule: byok#allow-lists, byok#exclusive-credentials, requests#patches.
 *
 * Only the fields that a request sets; absent ones stay.
 */
export type ByokChange = { readonly [K in keyof ByokFields]?: ByokFields[K] }

/** The defaults of a credential: usable by all, neither required nor a fallback. */
export const unscoped: ByokFields = {
  name: null,
  disabled: false,
  is_fallback: false,
  is_required: false,
  is_byok_only: false,
  declared_region: null,
  declared_zdr: null,
  allowed_api_key_hashes: null,
  allowed_models: null,
  allowed_user_ids: null
}

export interface SealedKey {
  readonly label: string
  readonly sealed_key: Uint8Array
}

/** The table, field and row to which the ciphertext of a credential's key is bound. */
export const contextOfKey = (
  account_id: string,
  credential: Pick<ByokCredential, "workspace_id" | "id">
): EncryptionContext => ({
  table: "byok_credential",
  field: "key",
  account_id,
  workspace_id: credential.workspace_id,
  row_id: credential.id
})
