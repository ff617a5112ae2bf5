/**
 * Which credentials of a provider may be used for a request, in the order in which they are tried.
 *
 * Rule: byok#selection: not disabled, every allow-list passes; non-fallback ones by `sort_order`, then the fallbacks by theirs.
 * Shared capacity comes before the first credential with `is_fallback`.
 */
import type { ByokCredential } from "@gatewarden/contract"

/** The values that the allow lists are checked against. */
export interface CredentialUse {
  readonly api_key_hash: string
  readonly user_id: string | null
  /** Every name that the model goes by; none for a request that concerns no model. */
  readonly models: readonly string[]
}

type Scoped = Pick<
  ByokCredential,
  "disabled" | "is_fallback" | "sort_order" | "allowed_api_key_hashes" | "allowed_models" | "allowed_user_ids"
>

const passes = (allowed: readonly string[] | null, names: readonly string[]): boolean =>
  allowed === null || names.some((name) => allowed.includes(name))

export const selectCredentials = <C extends Scoped>(credentials: readonly C[], use: CredentialUse): readonly C[] =>
  credentials
    .filter(
      (credential) =>
        !credential.disabled &&
        passes(credential.allowed_api_key_hashes, [use.api_key_hash]) &&
        passes(credential.allowed_user_ids, use.user_id === null ? [] : [use.user_id]) &&
        passes(credential.allowed_models, use.models)
    )
    .sort((a, b) => Number(a.is_fallback) - Number(b.is_fallback) || a.sort_order - b.sort_order)
