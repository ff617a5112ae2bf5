/**
 * The account in which an operation for data planes acts.
 *
 * Rule: access#gateway-keys. A management key acts in its own account only. A gateway key acts in the account of the key, or of the
 * admission, that the request names: it belongs to a data plane that serves every account of the installation.
 */
import type { AskedAdmission, CreateAdmission } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { KeyCache } from "../cache/KeyCache.ts"
import { Digest } from "../platform/Digest.ts"
import { Forbidden, invalid, unknownAdmission } from "../value/failure.ts"
import { AdmissionTokens } from "./AdmissionTokens.ts"
import type { Caller } from "./Caller.ts"
import { lookUpKey } from "./authenticate.ts"

/**
 * No account has this id. An unknown key hash acts in it, so that it is denied like any other unknown key. Stored answers to gateway keys
 * count for it.
 */
export const noAccount = "00000000-0000-0000-0000-000000000000"

/** The account that a key belongs to, whichever it is. The hash is the key's, or that of any secret of it. */
export const accountOfKey = Effect.fnUntraced(function* (secret_hash: string) {
  const found = yield* Effect.option((yield* KeyCache).bySecret.get(secret_hash, lookUpKey))
  return Option.isSome(found) ? found.value.account_id : noAccount
})

/** 400 for a gateway key that names no key. */
export const accountForKey = (caller: Caller, secret_hash: string | undefined) => {
  if (caller.kind !== "gateway") return Effect.succeed(caller.account_id)
  return secret_hash === undefined
    ? Effect.fail(
        invalid(
          "account_required",
          "api_key_hash",
          "A gateway key belongs to no account: name the key that the request is for"
        )
      )
    : accountOfKey(secret_hash)
}

/** The caller, acting in the given account. */
export const actingIn = (
  caller: Caller,
  { account_id, default_workspace_id }: Pick<Caller, "account_id" | "default_workspace_id">
): Caller => ({ ...caller, kind: "management", account_id, default_workspace_id })

/** Whether an id is of an admission that the operator's side asked for, and that this caller may therefore not report on. */
export const isForOperator = Effect.fnUntraced(function* (caller: Caller, id: string) {
  if (caller.is_operator) return false
  const token = yield* (yield* AdmissionTokens).read(id)
  return token !== undefined && token.by_operator && token.account_id === caller.account_id
})

export const forOperator = "The operator's data plane asked for this admission, and alone settles, renews or cancels it"

/**
 * The caller, acting in the account of an admission; 404 for an id that this installation never signed, 403 for an account's own key where the
 * operator's data plane asked (Rule: admissions#who-settles).
 */
export const actingOnAdmission = Effect.fnUntraced(function* (caller: Caller, id: string) {
  if (caller.kind !== "gateway") {
    if (!(yield* isForOperator(caller, id))) return caller
    const issues = [{ path: "path.id", code: "operator_required", message: forOperator }]
    return yield* new Forbidden({ reason: "operator_required", issues })
  }
  const token = yield* (yield* AdmissionTokens).read(id)
  return token === undefined
    ? yield* unknownAdmission()
    : actingIn(caller, { account_id: token.account_id, default_workspace_id: token.workspace_id })
})

/** The hash of the key that a data plane names, by the key itself or by its hash. Rule: admissions#admission. */
interface NamedKey {
  readonly api_key?: string | null | undefined
  readonly api_key_hash?: string | null | undefined
}

const inClear = () =>
  invalid(
    "invalid_request",
    "api_key",
    "api_key is accepted over TLS or on a loopback address: send api_key_hash, its SHA-256 in hexadecimal, or set GATEWARDEN_PUBLIC_URL to the https address of this server"
  )

interface Arrival {
  readonly isConfidential: Effect.Effect<boolean>
}

/** The body with the hash in place of the key, which goes no further. `undefined`: the body names no key. */
export const withKeyHash = Effect.fnUntraced(function* <B extends NamedKey>(
  { api_key, api_key_hash, ...body }: B,
  { isConfidential }: Arrival
) {
  if (api_key == null) return { api_key_hash: api_key_hash ?? undefined, ...body }
  if (!(yield* isConfidential)) return yield* inClear()
  return { api_key_hash: yield* (yield* Digest).sha256Hex(api_key), ...body }
})

/** The same of an admission, which names a key by its schema; no key has the hash of none. */
export const admissionAsked = (body: AskedAdmission, arrival: Arrival) =>
  Effect.map(withKeyHash(body, arrival), ({ api_key_hash = "", ...asked }): CreateAdmission => ({
    api_key_hash,
    ...asked
  }))
