/**
 * Resolves an `Authorization` header to a caller.
 *
 * Rule: access#refused-keys, requests#bearer-credentials. Disabled, expired, deleted, of a deleted workspace: 401.
 */
import type { Issue, ReasonOf } from "@gatewarden/contract/internal"
import { Clock, Context, Effect } from "effect"
import { KeyCache } from "../cache/KeyCache.ts"
import { Digest } from "../platform/Digest.ts"
import type { ChangeLog } from "../ports/changeLog.ts"
import { ApiKeys, type AuthenticatedKey } from "../ports/keys.ts"
import { formatInstant } from "../value/calendar.ts"
import { Unauthorized } from "../value/failure.ts"
import { type Caller, reachesWorkspace } from "./Caller.ts"
import { checkKeyFormat, keyPrefixes } from "./keyFormat.ts"
import { isRevokedAtOnce } from "./liveKeys.ts"
import { endOfSecret } from "./secretsOfKey.ts"

/**
 * The key inside an `Authorization` header.
 *
 * Rule: requests#bearer-credentials. Source: RFC 9110 11.4; RFC 6750 2.1.
 *
 * The key, or `undefined` when there is none that could be used: no header, another scheme, no key, a key with spaces or with
 * anything but visible ASCII. Two headers, which arrive joined by a comma and a space, are a key with a space inside. Nothing
 * is trimmed, since a header value has no outer spaces unless something was joined to it.
 */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : /^bearer +([!-~]+)$/i.exec(authorization)?.[1]

/**
 * Why credentials are refused, so that the caller can correct the request. The refusal never repeats what was sent, because it may be a
 * key.
 *
 * Rule: requests#bearer-credentials, access#refused-keys. Only a caller who sends the complete key learns its state.
 */
const path = "header.authorization"
const expected = "Expected one header `Authorization: Bearer <key>`"

const refuse = (reason: ReasonOf<401>, message: string, at = path): Unauthorized =>
  new Unauthorized({ reason, issues: [{ path: at, code: reason, message } satisfies Issue] })

/** Headers in which other APIs take their keys. */
const otherHeaders = ["x-api-key", "api-key", "x-goog-api-key", "x-auth-token", "proxy-authorization"] as const

/** Query parameters in which other APIs take their keys. */
const otherParameters = ["api_key", "apikey", "api-key", "key", "access_token", "token"] as const

const parametersOf = (url: string): URLSearchParams => new URLSearchParams(url.split("?")[1] ?? "")

/** Where a request may carry a key. */
export interface SentCredentials {
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly url: string
}

/** There is no `Authorization` header: perhaps the key is somewhere else. */
export const missingKey = ({ headers, url }: SentCredentials): Unauthorized => {
  const header = otherHeaders.find((name) => headers[name] !== undefined)
  if (header !== undefined)
    return refuse("misplaced_api_key", `A key in ${header} is not read. ${expected}`, `header.${header}`)
  const parameters = parametersOf(url)
  const parameter = otherParameters.find((name) => parameters.has(name))
  if (parameter !== undefined)
    return refuse(
      "misplaced_api_key",
      `A key in the query is not read, and proxies log it: replace that key. ${expected}`,
      `query.${parameter}`
    )
  return refuse("missing_authentication", `No Authorization header was sent. ${expected}`)
}

/** The `Authorization` header holds no key that could be looked up. */
export const malformedAuthorization = (authorization: string): Unauthorized => {
  const problem = (): string => {
    if (authorization.trim() === "") return "The header is empty"
    if (/,\s/.test(authorization)) return "Several Authorization headers were sent, or a key with a comma in it"
    if (/^bearer\s*$/i.test(authorization)) return "No key follows the word Bearer"
    if (!/\s/.test(authorization)) return "The word Bearer before the key is missing"
    return /^bearer\s/i.test(authorization)
      ? "The key has spaces or characters that are not visible ASCII"
      : "The scheme is not Bearer"
  }
  return refuse("malformed_authentication", `${problem()}. ${expected}`)
}

/** The key starts like one of this product, and its checksum is wrong. */
export const malformedKey = refuse(
  "malformed_api_key",
  "The key is damaged: its checksum is wrong. Copy the whole key again, without quotes or line breaks"
)

const unknownApiKey = refuse("invalid_api_key", "This server has no such key: it belongs to another server")

/** The key existed, and it or its workspace was deleted. */
export const deletedKey = refuse("revoked_api_key", "The key was deleted, alone or with its workspace. Use another key")

/** The key was rotated, and this secret of it no longer opens it. `ends_at`: epoch milliseconds, if it is known. */
export const endedSecret = (ends_at: number | null): Unauthorized =>
  refuse(
    "revoked_api_key",
    `The key was rotated${ends_at === null ? "" : `, and this secret of it ended at ${formatInstant(ends_at)}`}. Use its newest secret`
  )

/**
 * No key has the hash of `token`. It may be a key of another product. Quotes that were copied along and unexpanded variables are named.
 */
export const unknownToken = (token: string): Unauthorized => {
  if (/^["'`$<{]/.test(token))
    return refuse("malformed_api_key", "The key starts with a quote, $, < or {: send the key itself, without quotes")
  return checkKeyFormat(token) === "foreign"
    ? refuse(
        "invalid_api_key",
        `This server has no such key. The keys that it makes start with ${keyPrefixes.join(", ")}`
      )
    : unknownApiKey
}

/** The key exists and is refused: its account is suspended, it is disabled, or it ended before now. */
export const deadKey = (key: AuthenticatedKey): Unauthorized => {
  if (key.is_suspended)
    return refuse(
      "account_suspended",
      "The account of the key is suspended. Ask the operator of this server to resume it"
    )
  if (key.disabled)
    return refuse("disabled_api_key", "The key is disabled. A management key can enable it: PATCH /keys/{hash}")
  return key.revoked_at !== null
    ? refuse("revoked_api_key", `The key was revoked at ${key.revoked_at}. Use another key`)
    : refuse("expired_api_key", `The key expired at ${key.expires_at}. Use another key, or give this one a later end`)
}

type Needed = ApiKeys | ChangeLog | KeyCache

/** Runs synchronously if nothing has to be awaited, because every request passes here. */
export const authenticate = (authorization: string): Effect.Effect<Caller, Unauthorized, Needed> =>
  Effect.contextWith((context: Context.Context<Needed>) => {
    const token = bearerToken(authorization)
    if (token === undefined) return Effect.fail(malformedAuthorization(authorization))
    // A wrong checksum needs no look-up.
    if (checkKeyFormat(token) === "bad_checksum") return Effect.fail(malformedKey)
    return Effect.flatMapEager(Context.get(context, Digest).sha256Hex(token), (hash) => {
      const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
      const cache = Context.get(context, KeyCache).bySecret
      const kept = cache.kept(hash, now)
      return kept === undefined
        ? Effect.matchEffect(cache.get(hash, lookUpKey), {
            onFailure: (absent) => Effect.fail(absent === "deleted" ? deletedKey : unknownToken(token)),
            onSuccess: (key) => judge(key, hash, now)
          })
        : judge(kept, hash, now)
    })
  })

const judge = (key: AuthenticatedKey, secret_hash: string, now: number): Effect.Effect<Caller, Unauthorized> => {
  const isExpired = key.expires_at !== null && Date.parse(key.expires_at) <= now
  if (key.is_suspended || key.disabled || isExpired || isRevokedAtOnce(key)) return Effect.fail(deadKey(key))
  const ended = endOfSecret(key, secret_hash, now)
  return ended === undefined ? Effect.succeed(callerOf(key)) : Effect.fail(endedSecret(ended))
}

/** The key with this hash, or with a secret of this hash; fails with what is known of one that is not there. */
export const lookUpKey = Effect.fnUntraced(function* (hash: string) {
  const found = yield* (yield* ApiKeys).authenticate(hash)
  return typeof found === "string" ? yield* Effect.fail(found) : found
})

/** The caller that a key stands for. */
export const callerOf = (key: AuthenticatedKey): Caller => ({
  account_id: key.account_id,
  key_hash: key.hash,
  kind: key.kind,
  workspace_id: key.workspace_id,
  default_workspace_id: reachesWorkspace(key, key.default_workspace_id) ? key.default_workspace_id : null,
  user_id: key.user_id,
  is_operator: key.is_operator && key.kind !== "normal",
  restrictions: key.restrictions,
  ...(key.issued_by === null ? {} : { issued: true })
})
