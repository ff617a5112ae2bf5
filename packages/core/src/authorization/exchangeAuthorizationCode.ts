import type { ChallengeMethod } from "@gatewarden/contract"
import { Clock, Effect, Option, Redacted } from "effect"
import { ApiKeys } from "../ports/keys.ts"
import { newApiKey } from "../key/newApiKey.ts"
import { isDeprovisioned } from "../access/isDeprovisioned.ts"
import { Forbidden } from "../value/failure.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Digest } from "../platform/Digest.ts"
import { formatInstant } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { AuthorizationCodes, type KeptGrant } from "../ports/authorizationCodes.ts"
import { exchangeVerdict, type Proof } from "./exchangeVerdict.ts"
import { challengeOf } from "./pkce.ts"

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
  const now = yield* Clock.currentTimeMillis
  switch (exchangeVerdict(grant, { proof, method: presented.code_challenge_method ?? null }, now)) {
    case "accept": {
      if (yield* isDeprovisioned(grant.account_id, grant.user_id)) return yield* refusal
      yield* requireRoom("keys_per_account", grant)
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
      if (yield* codes.spend(code_hash, record, formatInstant(now))) return { key, user_id: grant.user_id }
      return yield* refusal
    }
    case "burn":
      yield* codes.burn(code_hash)
      return yield* refusal
    case "revoke":
      if (grant.key_hash !== null) {
        yield* (yield* ApiKeys).remove(grant.account_id, grant.key_hash, formatInstant(now))
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
