/** Where the grants of authorization codes are remembered. Those of deleted workspaces do not exist here. */
import { Context, type Effect, type Option } from "effect"
import type { ApiKey } from "../access/ApiKey.ts"
import type { CodeGrant, KeptGrant } from "./CodeGrant.ts"

export class AuthorizationCodes extends Context.Service<
  AuthorizationCodes,
  {
    /**
     * Remembers a grant and answers the number of its app, which is the next one when the account has not met the callback
     * origin before. `taken`: a grant of the same account, origin and challenge is unspent and unexpired at the new one's
     * `created_at`, whatever the method; grants without a challenge do not meet. `missing`: the workspace does not exist
     * (any more). Nothing changed in these cases.
     */
    readonly insert: (grant: CodeGrant) => Effect.Effect<{ readonly app_id: number } | "taken" | "missing">
    /** By hash alone: whoever presents a code has no account yet. Expired and spent ones are found; the caller judges them. */
    readonly find: (code_hash: string) => Effect.Effect<Option.Option<KeptGrant>>
    /**
     * Spends the grant and inserts the key that it is spent for, both or neither. False when it was spent or burnt, is
     * expired at `now`, or its workspace does not exist (any more): of any number of attempts one succeeds.
     */
    readonly spend: (code_hash: string, key: ApiKey, now: string) => Effect.Effect<boolean>
    /** Makes an unspent grant useless for ever. */
    readonly burn: (code_hash: string) => Effect.Effect<void>
  }
>()("gatewarden/AuthorizationCodes") {}
