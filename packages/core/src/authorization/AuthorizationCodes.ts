/** The grants of authorization codes. Those of deleted workspaces do not exist here. */
import { Context, type Effect, type Option } from "effect"
import type { ApiKey } from "../key/ApiKey.ts"
import type { CodeGrant, KeptGrant } from "./CodeGrant.ts"

export class AuthorizationCodes extends Context.Service<
  AuthorizationCodes,
  {
    /**
     * Stores a grant and answers the number of its app: the next number if the callback origin is new to the account. `taken`: a grant of
     * the same account, origin and challenge is unspent and unexpired at the new one's `created_at`, whatever the method; grants without a
     * challenge never conflict. `missing`: the workspace does not exist
     * (any more). Nothing changed in these cases.
     */
    readonly insert: (grant: CodeGrant) => Effect.Effect<{ readonly app_id: number } | "taken" | "missing">
    /** By hash alone, because the caller has no account yet. Returns expired and spent grants, too; the caller checks them. */
    readonly find: (code_hash: string) => Effect.Effect<Option.Option<KeptGrant>>
    /**
     * Spends the grant and inserts the key that it is spent for, both or neither. False when it was spent or burnt, is
     * expired at `now`, or its workspace does not exist (any more): of concurrent attempts exactly one succeeds.
     */
    readonly spend: (code_hash: string, key: ApiKey, now: string) => Effect.Effect<boolean>
    /** Invalidates an unspent grant. */
    readonly burn: (code_hash: string) => Effect.Effect<void>
  }
>()("gatewarden/AuthorizationCodes") {}
