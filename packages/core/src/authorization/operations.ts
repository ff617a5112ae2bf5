import type { ChallengeMethod, CreateAuthorizationCode } from "@gatewarden/contract/internal"
import { Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { isDeprovisioned } from "../access/liveKeys.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { newApiKey, readExpiry } from "../key/key.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { acceptsCallbackUrl, appName, callbackOrigin } from "./callbackUrl.ts"
import { AuthorizationCodes, type CodeGrant, type KeptGrant } from "../ports/authorizationCodes.ts"
import { ApiKeys } from "../ports/keys.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { base64url } from "../value/text.ts"
import { Conflict, Forbidden, invalid } from "../value/failure.ts"
import { type Proof, challengeOf, exchangeVerdict, isPlainChallenge, isS256Challenge } from "./authorization.ts"

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
    created_at: yield* timestamp
  }
  const outcome = yield* (yield* AuthorizationCodes).insert(grant, lifetimeMillis)
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

/** What an app presents. */
export interface CodeExchange {
  readonly code: Redacted.Redacted<string>
  readonly code_verifier: Redacted.Redacted<string> | undefined
  readonly code_challenge_method: ChallengeMethod | null | undefined
}

/** One answer for every failure, so that it does not reveal which codes exist (Rule: authorization#exchange). */
const refusal = new Forbidden({ reason: "invalid_authorization_code", text: "Invalid code or code_verifier" })

/** Rule: authorization#exchange. A caller with the code and its verifier gets the key; no other credentials are needed. */
export const exchangeAuthorizationCode = operation("exchangeAuthorizationCode")(function* (presented: CodeExchange) {
  const codes = yield* AuthorizationCodes
  const digest = yield* Digest
  const code_hash = yield* digest.sha256Hex(Redacted.value(presented.code))
  const found = yield* codes.find(code_hash)
  if (Option.isNone(found)) return yield* refusal
  const grant = found.value
  const proof = yield* proofOf(grant, presented.code_verifier)
  const now = Date.parse(grant.found_at)
  switch (exchangeVerdict(grant, { proof, method: presented.code_challenge_method ?? null }, now)) {
    case "accept": {
      if (yield* isDeprovisioned(grant.account_id, grant.user_id)) return yield* refusal
      yield* requireQuota("keys_per_account", grant)
      const { key, record } = yield* newApiKey({
        kind: "normal",
        account_id: grant.account_id,
        workspace_id: grant.workspace_id,
        user_id: grant.user_id,
        creator_user_id: grant.user_id,
        issued_by: "consent",
        name: grant.key_name,
        limit: grant.limit,
        limit_reset: grant.limit_reset,
        expires_at: grant.key_expires_at
      })
      if (yield* codes.spend(code_hash, record)) return { key, user_id: grant.user_id }
      return yield* refusal
    }
    case "burn":
      yield* codes.burn(code_hash)
      return yield* refusal
    case "revoke":
      if (grant.key_hash !== null) {
        yield* (yield* ApiKeys).remove(grant.account_id, grant.key_hash, yield* timestamp)
      }
      return yield* refusal
    case "refuse":
      return yield* refusal
  }
})

const proofOf = Effect.fnUntraced(function* (grant: KeptGrant, code_verifier: Redacted.Redacted<string> | undefined) {
  if (code_verifier === undefined) return "none" satisfies Proof
  if (grant.challenge_hash === null) return "unexpected" satisfies Proof
  const digest = yield* Digest
  const verifier = Redacted.value(code_verifier)
  const answer = challengeOf(grant.code_challenge_method ?? "plain", verifier, yield* digest.sha256(verifier))
  // Comparing hashes in variable time reveals nothing about the hashed text.
  const isRight = answer !== undefined && (yield* digest.sha256Hex(answer)) === grant.challenge_hash
  return isRight ? "right" : ("wrong" satisfies Proof)
})
