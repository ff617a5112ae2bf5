import type { ChallengeMethod, CreateAuthorizationCode } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { readExpiry } from "../key/readExpiry.ts"
import { Conflict, invalid } from "../value/failure.ts"
import { base64url } from "../value/base64url.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { formatInstant } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { AuthorizationCodes, type CodeGrant } from "../ports/authorizationCodes.ts"
import { acceptsCallbackUrl, appName, callbackOrigin } from "../platform/callbackUrl.ts"
import { isPlainChallenge, isS256Challenge } from "./pkce.ts"

const lifetimeMillis = 600_000
const codeBytes = 32

/** What a code is asked for. Without a `callback_url` the page shows the code, and the user carries it to the app. */
export type CodeRequest = Omit<CreateAuthorizationCode, "callback_url"> & { readonly callback_url?: string | undefined }

/** The name of an app that has neither a label nor a callback. */
const namelessApp = "App without a callback"

/** The key that a code is asked for, and what proves who asked; fails where a rule of codes is broken. */
export const readCodeRequest = Effect.fnUntraced(function* (fields: CodeRequest) {
  const { callback_url } = fields
  if (callback_url !== undefined && !acceptsCallbackUrl(callback_url))
    return yield* invalid("invalid_callback_url", "callback_url", "Expected https, or http to localhost or 127.0.0.1")
  // Whoever sees a code on a screen could use it, were it not for the challenge.
  if (callback_url === undefined && (fields.code_challenge === undefined || fields.code_challenge_method !== "S256"))
    return yield* invalid(
      "invalid_code_challenge",
      "code_challenge",
      "Without a callback_url a code needs a challenge of the method S256"
    )
  const challenge = yield* readChallenge(fields)
  const key_expires_at = yield* readExpiry(fields.expires_at, "expires_at")
  return { challenge, key_expires_at }
})

/** Rule: authorization#codes. The id is the code, and only this response shows it. */
export const createAuthorizationCode = operation("createAuthorizationCode")(function* (
  caller: Caller,
  fields: CodeRequest
) {
  const { callback_url } = fields
  const { challenge, key_expires_at } = yield* readCodeRequest(fields)
  const workspace_id = yield* resolveWorkspace(caller, fields.workspace_id, "workspace_id")

  const id = base64url((yield* Entropy).bytes(codeBytes))
  const now = yield* Clock.currentTimeMillis
  const dies = formatInstant(now + lifetimeMillis)
  const grant: CodeGrant = {
    code_hash: yield* (yield* Digest).sha256Hex(id),
    account_id: caller.account_id,
    workspace_id,
    callback_url: callback_url ?? "",
    callback_origin: callback_url === undefined ? "" : callbackOrigin(callback_url),
    ...challenge,
    key_name: fields.key_label || (callback_url === undefined ? namelessApp : appName(callback_url)),
    limit: fields.limit ?? null,
    limit_reset: fields.usage_limit_type ?? null,
    key_expires_at,
    user_id: caller.user_id,
    spawn_agent: fields.spawn_agent ?? null,
    spawn_cloud: fields.spawn_cloud ?? null,
    created_at: formatInstant(now),
    // A code that lives longer than its key could be exchanged for an expired key.
    expires_at: key_expires_at !== null && key_expires_at < dies ? key_expires_at : dies
  }
  const outcome = yield* (yield* AuthorizationCodes).insert(grant)
  if (outcome === "missing") return yield* unknownWorkspace("workspace_id")
  if (outcome === "taken") return yield* new Conflict({ reason: "authorization_code_exists" })
  return { id, app_id: outcome.app_id, created_at: grant.created_at }
})

const challengeForms: Readonly<Record<ChallengeMethod, (challenge: string) => boolean>> = {
  S256: isS256Challenge,
  plain: isPlainChallenge
}

/** `plain` when a challenge comes without a method (RFC 7636 4.3); a method without a challenge protects nothing. */
const readChallenge = Effect.fnUntraced(function* ({
  code_challenge,
  code_challenge_method
}: Pick<CreateAuthorizationCode, "code_challenge" | "code_challenge_method">) {
  if (code_challenge === undefined) {
    if (code_challenge_method === undefined) return { challenge_hash: null, code_challenge_method: null }
    return yield* invalid("invalid_code_challenge", "code_challenge", "code_challenge_method needs a code_challenge")
  }
  const method = code_challenge_method ?? "plain"
  if (!challengeForms[method](code_challenge))
    return yield* invalid("invalid_code_challenge", "code_challenge", `Not a challenge of the method ${method}`)
  return { challenge_hash: yield* (yield* Digest).sha256Hex(code_challenge), code_challenge_method: method }
})
