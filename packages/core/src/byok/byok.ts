import {
  type ByokCredential,
  type ByokProvider,
  type UpdateByokCredential,
  Region,
  byokProviders,
  nearestOf
} from "@gatewarden/contract/internal"
import { Context, Effect, Option, Redacted } from "effect"
import { PrivateProviders } from "../ports/privateEndpoints.ts"
import { BadRequest, invalid } from "../value/failure.ts"
import { parseJson } from "../value/parseJson.ts"
import { remembered } from "../value/remembered.ts"
import type { ByokChange, SealedKey } from "../ports/byok.ts"
import { sentFields } from "../value/sentFields.ts"
import { type EncryptionContext, Vault } from "../vault/Vault.ts"
import { maskSecret } from "../vault/maskSecret.ts"

/**
 * The providers that a BYOK credential can be for.
 *
 * Rule: byok#providers. By default the contract's table; a host extends it by providing the reference with a larger set.
 */
export const ProviderTable = Context.Reference<ReadonlySet<string>>("gatewarden/ProviderTable", {
  defaultValue: () => new Set<string>(byokProviders)
})

/** Fails with 400 when neither the table nor the account has a provider of the slug; `path` is the field that named it. */
export const requireProvider = Effect.fnUntraced(function* (account_id: string, slug: string, path: string) {
  if ((yield* ProviderTable).has(slug)) return
  if (Option.isSome(yield* (yield* PrivateProviders).find(account_id, slug))) return
  const nearest = nearestOf(slug, [...(yield* ProviderTable)])
  return yield* invalid("unknown_provider", path, `Expected the slug of a known provider${nearest}`)
})

/**
 * What a provider key consists of: keys of OpenAI and Fireworks may be JSON with the region of the account that they belong to.
 *
 * Rule: byok#regional-keys.
 */
export interface KeyMaterial {
  /** What the provider is sent. */
  readonly api_key: string
  /** `null`: the key names none. */
  readonly region: Region | null
}

const withRegionalKeys: readonly string[] = ["fireworks", "openai"] satisfies readonly ByokProvider[]

export const hasRegionalKeys = (provider: string): boolean => withRegionalKeys.includes(provider)

const utf8 = new TextEncoder()

/** `eu` is the word of these providers. */
const regionNamed = (name: unknown): Region | undefined =>
  name === "eu" ? "europe" : Region.options.find((region) => region === name)

/** Undefined if it cannot be told which region the key names: JSON that two parsers may read differently, or an unknown region. */
export const keyMaterial = (provider: string, key: string): KeyMaterial | undefined => {
  const whole: KeyMaterial = { api_key: key, region: null }
  if (!hasRegionalKeys(provider) || !/^\s*\{/.test(key)) return whole
  const parsed = parseJson(utf8.encode(key))
  if (!parsed.ok) return undefined
  const { api_key, region = null } = parsed.value as Readonly<Record<string, unknown>>
  const isKey = typeof api_key === "string" && api_key !== ""
  if (region === null) return isKey ? { api_key, region } : whole
  const named = regionNamed(region)
  return named !== undefined && isKey ? { api_key, region: named } : undefined
}

/** What the provider is sent of a stored key. */
export const sentKey = (provider: string, key: Redacted.Redacted<string>): Redacted.Redacted<string> => {
  const whole = Redacted.value(key)
  return Redacted.make(keyMaterial(provider, whole)?.api_key ?? whole)
}

/** A region that a credential may be declared for with effect. */
export type LocalRegion = Exclude<Region, "global">

/** `null` and `global` are the same: the credential follows the endpoint. Rule: byok#declared-region. */
export const localRegion = (declared: Region | null): LocalRegion | undefined =>
  declared === null || declared === "global" ? undefined : declared

const withDeclaredRegion: readonly string[] = ["azure"] satisfies readonly ByokProvider[]

const notDeclarable = (message: string) => invalid("region_not_declarable", "declared_region", message)

const unreadableKey = () =>
  new BadRequest({
    reason: "invalid_request",
    issues: [
      {
        path: "key",
        code: "invalid_format",
        message: 'Expected a key, or {"api_key": "…", "region": "…"} with the region global, europe or us'
      }
    ]
  })

const otherRegion = (own: Region | null) =>
  notDeclarable(
    localRegion(own) === undefined
      ? "The key names no region: expected null, or send the key with its region"
      : `Expected ${own}, the region in the key; send the key with another region to change it`
  )

interface Sent {
  /** Undefined: the field was not sent. */
  readonly declared_region: Region | null | undefined
  /** Undefined: the stored key stays. */
  readonly key: Redacted.Redacted<string> | undefined
}

/**
 * Where the account behind a credential processes requests, as its owner or its key declares.
 *
 * Rule: byok#declared-region, byok#regional-keys.
 *
 * The value to store; undefined: what is stored stays. Without a key the region of a key is never written, because another request may
 * replace the key meanwhile.
 */
export const declaredRegion = Effect.fnUntraced(function* (
  provider: string,
  { declared_region: sent, key }: Sent,
  stored: Region | null
) {
  if (!hasRegionalKeys(provider)) {
    if (sent != null && sent !== "global" && !withDeclaredRegion.includes(provider))
      return yield* notDeclarable("Only credentials of azure, and keys of openai and fireworks, have a region")
    return sent
  }
  if (key === undefined) {
    if (sent === undefined || sent === stored) return undefined
    return yield* otherRegion(stored)
  }
  const material = keyMaterial(provider, Redacted.value(key))
  if (material === undefined) return yield* unreadableKey()
  if (sent === undefined) return material.region
  return localRegion(sent) === localRegion(material.region) ? sent : yield* otherRegion(material.region)
})

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

/** A list is asked for each model of a request. */
const setOf = remembered((names: readonly string[]): ReadonlySet<string> => new Set(names))

const passes = (allowed: readonly string[] | null, names: readonly string[]): boolean =>
  allowed === null || names.some((name) => setOf(allowed).has(name))

/** Of a request for any model. */
export const usableCredentials = <C extends Scoped>(
  credentials: readonly C[],
  { api_key_hash, user_id }: Omit<CredentialUse, "models">
): readonly C[] =>
  credentials
    .filter(
      ({ disabled, allowed_api_key_hashes, allowed_user_ids }) =>
        !disabled &&
        passes(allowed_api_key_hashes, [api_key_hash]) &&
        passes(allowed_user_ids, user_id === null ? [] : [user_id])
    )
    .sort((a, b) => Number(a.is_fallback) - Number(b.is_fallback) || a.sort_order - b.sort_order)

export const isForModel = ({ allowed_models }: Pick<Scoped, "allowed_models">, names: readonly string[]): boolean =>
  passes(allowed_models, names)

/**
 * Which credentials of a provider may be used for a request, in the order in which they are tried.
 *
 * Rule: byok#selection: not disabled, every allow-list passes; non-fallback ones by `sort_order`, then the fallbacks by theirs.
 * Shared capacity comes before the first credential with `is_fallback`.
 */
export const selectCredentials = <C extends Scoped>(credentials: readonly C[], use: CredentialUse): readonly C[] =>
  usableCredentials(credentials, use).filter((credential) => isForModel(credential, use.models))

const nullable = [
  "name",
  "declared_region",
  "declared_zdr",
  "allowed_api_key_hashes",
  "allowed_models",
  "allowed_user_ids"
] as const

/** For these fields `null` counts as absent. */
const notNullable = ["disabled", "is_fallback", "is_required", "is_byok_only"] as const

export const byokChange = (fields: Omit<UpdateByokCredential, "key">): ByokChange =>
  sentFields(fields, nullable, notNullable)

/**
 * The stored form of a provider key: the ciphertext, which is bound to its row, and the label.
 *
 * Rule: secrets#encryption.
 */
export const sealKey = Effect.fnUntraced(function* (key: Redacted.Redacted<string>, context: EncryptionContext) {
  const vault = yield* Vault
  const sealed: SealedKey = {
    label: maskSecret(Redacted.value(key)),
    sealed_key: yield* vault.seal(key, context)
  }
  return sealed
})
