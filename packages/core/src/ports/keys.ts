import type { CreateKey, KeyRestrictions, ResetInterval, UpdateKey } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import { type PageRequest } from "../value/Page.ts"
import { sentFields } from "../value/sentFields.ts"
import { base62, base62Digits } from "../value/text.ts"
import { maskSecret } from "../vault/maskSecret.ts"
import type { StoredExternalUser } from "./externalUsers.ts"

/** All of an account, or fewer. */
export interface KeyFilter {
  readonly kind?: ApiKey["kind"]
  readonly workspace_id?: string
  readonly hashes?: readonly string[]
  readonly disabled?: boolean
}

/** How a key ends, or is replaced by another one. */
export interface Retirement {
  readonly now: string
  /** Time from which the key is refused; a key that ends earlier keeps its end. */
  readonly at: string
  /** Takes its place, in the same step. */
  readonly successor: ApiKey | undefined
  /** Whether to end the key even if it is the account's last management key. */
  readonly force: boolean
}

/** A new secret of a key. */
export interface Rotation {
  readonly secret_hash: string
  /** Masked rendering of the secret. */
  readonly label: string
  readonly now: string
  /** Time from which the former secrets are refused; one that ends earlier keeps its end. */
  readonly overlap_ends_at: string
}

/** The API keys. Deleted keys, and keys of deleted workspaces, do not exist here. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * By hash alone, because the hash determines the account: that of the key, or of any secret of it, also of one that has ended
     * (`endOfSecret`). Returns disabled and expired keys, too; the caller checks them. `deleted` is known for 90 days, and for the last
     * 10,000 keys of each account.
     */
    readonly authenticate: (hash: string) => Effect.Effect<AuthenticatedKey | "deleted" | "unknown">
    /**
     * False when the key's workspace does not exist (any more), the hash is taken by a key or a secret of one, or the directory says that
     * the key's user may not act, also if it says so at the same time. A key that is inserted registers its external user, unless that is
     * registered.
     */
    readonly insert: (key: ApiKey, registration?: StoredExternalUser) => Effect.Effect<boolean>
    /** Oldest first, then by hash; all, unless a page is asked for. */
    readonly list: (account_id: string, filter: KeyFilter, page?: PageRequest) => Effect.Effect<readonly ApiKey[]>
    /**
     * Changes an API key; `updated_at` becomes `now` exactly when a stored value changed. None: there is no such key, or it is to be enabled
     * and the directory says that its user may not act.
     */
    readonly update: (
      account_id: string,
      hash: string,
      change: KeyChange,
      now: string
    ) => Effect.Effect<Option.Option<ApiKey>>
    /**
     * Sets the key's end and keeps the key, so that it cannot be inserted again. `last`: nothing was done, because it is the last
     * management key (`isLastManagementKey`) and there is neither a successor nor `force`. `deprovisioned`: nothing was done, because
     * there is a successor, whose user the directory says may not act. Concurrent calls run one after another.
     */
    readonly retire: (
      account_id: string,
      hash: string,
      retirement: Retirement
    ) => Effect.Effect<"retired" | "absent" | "last" | "deprovisioned">
    /**
     * Adds a secret to an API key (`rotatedSecrets`). Concurrent calls run one after another; the last one's secret is the newest. None:
     * there is no such key.
     */
    readonly rotate: (account_id: string, hash: string, rotation: Rotation) => Effect.Effect<Option.Option<ApiKey>>
    /** Deletes the key with its secrets; false when there was no such key. */
    readonly remove: (account_id: string, hash: string, now: string) => Effect.Effect<boolean>
  }
>()("gatewarden/ApiKeys") {}

/** An API key as it is stored: everything but the key itself, of which only the hash is kept (Rule: access#key-hashes). */
export interface ApiKey {
  /** Of the secret with which the key was made. It names the key for ever, whatever secrets open it later. */
  readonly hash: string
  readonly account_id: string
  /**
   * `gateway`: for a data plane that serves every account of the installation. It is stored with the operator's account, because no other
   * account may see it, and manages nothing (Rule: access#gateway-keys).
   */
  readonly kind: KeyKind
  /** `null` exactly where the kind is not `normal`. */
  readonly workspace_id: string | null
  readonly user_id: string | null
  readonly external_user: string | null
  readonly creator_user_id: string | null
  readonly name: string
  /** Masked rendering of the newest secret. */
  readonly label: string
  readonly disabled: boolean
  /**
   * How an app or a workload got the key: by a user's consent (PKCE), or for a token of its platform. `null`: a management key made it
   * (Rule: presets#who-designates).
   */
  readonly issued_by: "consent" | "exchange" | null
  /** Spending limit in USD. */
  readonly limit: number | null
  readonly limit_reset: ResetInterval | null
  readonly include_byok_in_limit: boolean
  /** Of a management key; `null`: it may do everything that one may (Rule: access#restricted-keys). */
  readonly restrictions: KeyRestrictions | null
  readonly expires_at: string | null
  /** Time at which a revocation or a replacement ends the key; `null` without one, or if the key expires earlier. */
  readonly revoked_at: string | null
  readonly created_at: string
  readonly updated_at: string | null
}

/** What a key has of the fields that nobody has set. */
export const unsetKey = {
  user_id: null,
  external_user: null,
  creator_user_id: null,
  issued_by: null,
  disabled: false,
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
  restrictions: null,
  expires_at: null,
  revoked_at: null,
  updated_at: null
} as const satisfies Partial<ApiKey>

type SetFields = Record<Exclude<keyof ApiKey, keyof typeof unsetKey>, true>

/** The names of all fields of a key. Which columns a decision reads, and what the audit log shows, follow. */
export const keyFields = Object.keys({
  hash: true,
  account_id: true,
  kind: true,
  workspace_id: true,
  name: true,
  label: true,
  created_at: true,
  ...unsetKey
} satisfies SetFields & typeof unsetKey) as readonly (keyof ApiKey)[]

/** A key with the data of its account that authentication needs. */
export interface AuthenticatedKey extends ApiKey {
  /** The account's default workspace, `null` once it was deleted. */
  readonly default_workspace_id: string | null
  /** The account is the operator's own: the one that is named `default` (Rule: access#operator). */
  readonly is_operator: boolean
  /** The account is suspended: all of its keys are refused. */
  readonly is_suspended: boolean
  /** The latest secrets of a key that was rotated, the oldest first: all that may still open it. Empty: only the secret of `hash` does. */
  readonly secrets: readonly KeySecret[]
}

/**
 * The secrets that open one key.
 *
 * Rule: access#rotating-keys. The hash of a key never changes. A key that was never rotated has one secret, whose hash is the key's, and no
 * list; a rotation lists the secrets of the key, and from then on the list alone tells which of them open it.
 *
 * A list has the secrets of a key, the oldest first.
 */
export interface KeySecret {
  readonly hash: string
  /** Epoch milliseconds from which the secret is refused; `null` for the newest one, which does not end. */
  readonly ends_at: number | null
}

/** The former secrets that may open a key beside its newest one. */
export const mostFormerSecrets = 2

/** The secrets that can open a key at the same time. */
export const mostLiveSecrets = mostFormerSecrets + 1

/** The secrets of a key that a store remembers, so that usage that names an ended one is still recorded under the key. */
export const mostKnownSecrets = 100

/** No former secret outlives a younger one: each ends when the overlap of the latest rotation ends, if it does not end earlier. */
export const rotatedSecrets = (
  known: readonly KeySecret[],
  hash: string,
  now: number,
  overlap_ends_at: number
): readonly KeySecret[] => [
  ...known.slice(1 - mostKnownSecrets).map((secret, index, kept) => {
    const end = kept.length - index > mostFormerSecrets ? now : overlap_ends_at
    return { ...secret, ends_at: secret.ends_at === null ? end : Math.min(secret.ends_at, end) }
  }),
  { hash, ends_at: null }
]

/** When a secret ended that no longer opens the key; `null` if that is not known any more. Undefined: it opens the key. */
export const endOfSecret = (
  key: { readonly hash: string; readonly secrets: readonly KeySecret[] },
  hash: string,
  now: number
): number | null | undefined => {
  if (key.secrets.length === 0) return key.hash === hash ? undefined : null
  const secret = key.secrets.find((one) => one.hash === hash)
  if (secret === undefined) return null
  return secret.ends_at === null || now < secret.ends_at ? undefined : secret.ends_at
}

/**
 * The format of generated API keys, and the check of a presented key before any look-up.
 *
 * Rule: access#key-format. A key is a prefix, 43 base62 characters of randomness (256 bits) and 6 base62 characters of checksum.
 * The checksum is the CRC-32 of zlib and PNG (reflected polynomial 0xEDB88320, start and final xor 0xFFFFFFFF) over the ASCII
 * bytes of everything before it, prefix included, written as six base62 digits, most significant first, padded with `0`.
 * Base62 digits are `0-9`, `A-Z`, `a-z`, in this order. So a typing error or a truncated copy is refused without a query, and secret
 * scanners can recognise real keys.
 */
export type KeyKind = "management" | "gateway" | "normal"

const prefixes: Readonly<Record<KeyKind, string>> = { management: "gwm-v1-", gateway: "gwg-v1-", normal: "gw-v1-" }

const randomLength = 43
const checksumLength = 6

const body = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Makes a key. `random` returns that many unpredictable bytes, fresh at each call. */
export const generateKey = (kind: KeyKind, random: (size: number) => Uint8Array): string => {
  const payload = prefixes[kind] + base62(randomLength, random)
  return payload + checksum(payload)
}

/**
 * `foreign`: not generated by Gatewarden (a bootstrap key, a host's key); only a look-up decides. `bad_checksum`: has our prefix and a
 * wrong checksum; refused without a look-up. `well_formed`: may exist.
 */
export const checkKeyFormat = (key: string): "well_formed" | "bad_checksum" | "foreign" => {
  const prefix = prefixOf(key)
  if (prefix === undefined) return "foreign"
  if (!body.test(key.slice(prefix.length))) return "bad_checksum"
  return checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength) ? "well_formed" : "bad_checksum"
}

/** How a key is shown after its creation: prefix, 3 characters, `...`, 3 characters; any other key is masked. */
export const keyLabel = (key: string): string => {
  const prefix = prefixOf(key)
  if (prefix === undefined || checkKeyFormat(key) !== "well_formed") return maskSecret(key)
  return `${key.slice(0, prefix.length + 3)}...${key.slice(-3)}`
}

/** The prefixes of generated keys. */
export const keyPrefixes: readonly string[] = Object.values(prefixes)

const prefixOf = (key: string): string | undefined => keyPrefixes.find((prefix) => key.startsWith(prefix))

const checksum = (payload: string): string => {
  let rest = crc32(payload)
  let text = ""
  for (let place = 0; place < checksumLength; place++) {
    text = (base62Digits[rest % base62Digits.length] ?? "") + text
    rest = Math.floor(rest / base62Digits.length)
  }
  return text
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

const crc32 = (ascii: string): number => {
  let value = 0xffffffff
  for (let index = 0; index < ascii.length; index++)
    value = (value >>> 8) ^ (crcTable[(value ^ ascii.charCodeAt(index)) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}

/** Only the fields that a request sets; absent ones stay. */
export type KeyChange = Partial<Pick<ApiKey, "name" | "disabled" | "limit" | "limit_reset" | "include_byok_in_limit">>

/** Rule: access#managing-keys, requests#patches. */
export const keyChange = (fields: UpdateKey): KeyChange =>
  sentFields(fields, ["limit", "limit_reset"], ["name", "disabled", "include_byok_in_limit"])

/** What the request of a new key sets, beside the fields that are checked first. */
export const createdKey = ({ name, limit, limit_reset, include_byok_in_limit }: CreateKey) => ({
  name,
  limit: limit ?? null,
  limit_reset: limit_reset ?? null,
  include_byok_in_limit: include_byok_in_limit ?? false
})

const hexDigits = 13

/**
 * A key as `io_logging_api_key_ids` of a workspace names it: the first 52 bits of its hash, which a number of JSON holds exactly.
 *
 * Nothing has to be stored for it, and it stays when a key is rotated. Two keys of one workspace share a number with a chance that does not
 * count, and then log alike. Rule: usage#prompt-logging.
 */
export const numericKeyId = (hash: string): number => Number.parseInt(hash.slice(0, hexDigits), 16)
