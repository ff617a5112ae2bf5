/**
 * What decisions stand on, remembered: a busy key costs no query per admission. One per instance of the product.
 *
 * Every entry belongs to an account. A change removes exactly the entries that stand on the changed entity: at once when this process made
 * the change, within two seconds otherwise (Rule: access#changes-take-effect). Refusals and reads remove nothing.
 */
import type { ByokCredential, OrganizationSettings, PresetVersion } from "@gatewarden/contract"
import { Context, Effect, Option } from "effect"
import { type FreshnessState, outsideTransactions } from "../cache/Freshness.ts"
import { type KeptByKey, makeKeptByKey } from "../cache/KeptByKey.ts"
import { type LookUps, type ValidatedCache, makeValidatedCache } from "../cache/ValidatedCache.ts"
import { joinVariant } from "../catalog/modelNames.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { type CompiledFilters, compileFilters } from "../filter/CompiledFilters.ts"
import type { Change, Changes } from "../ports/changeLog.ts"
import { defaultGuardrailId } from "../ports/guardrails.ts"
import { ModelCatalog } from "../ports/models.ts"
import { type AppliedGuardrail, type PolicySource, PolicySources } from "../ports/policySources.ts"
import { makeWaitingTurns } from "../value/Turns.ts"
import { bytesHeld } from "../value/bytes.ts"
import { evictOldest } from "../value/remembered.ts"
import { type CompiledPolicy, compilePolicy } from "./CompiledPolicy.ts"
import type { EndpointSpeed } from "./orderCandidates.ts"

/** What applies to a key, ready to decide. */
export interface CompiledSource extends PolicySource {
  readonly policy: CompiledPolicy
  readonly filters: CompiledFilters
  /** Of the key's workspace, whether it is stored or not; `null` for a key without a workspace. */
  readonly default_guardrail_id: string | null
}

interface Caches {
  /** By hash of the key. */
  readonly sources: ValidatedCache<Option.Option<CompiledSource>>
  /** By name as a request writes it; undefined: the account sees no such model. */
  readonly models: ValidatedCache<VisibleModel | undefined>
  /** By workspace. */
  readonly credentials: ValidatedCache<readonly ByokCredential[]>
  /** By id of the model: what was measured of its endpoints, in their order, up to a minute ago. */
  readonly speeds: ValidatedCache<readonly EndpointSpeed[]>
  /** By workspace, slug and version: `presetPlace`. */
  readonly presets: ValidatedCache<Option.Option<PresetVersion>>
  /** By account. */
  readonly settings: ValidatedCache<OrganizationSettings>
}

export interface DecisionCaches extends Caches {
  /** `sources`, by the hash that a caller sent. */
  readonly sourcesBySecret: KeptByKey<Option.Option<CompiledSource>>
}

export const presetPlace = (workspace_id: string, slug: string, version: number | null): string =>
  `${presetsOf(workspace_id, slug)}${version ?? ""}`

/** The versions of one preset begin with it. */
const presetsOf = (workspace_id: string, slug: string): string => `${workspace_id} ${slug} `

/** What changed of one account, gathered so that its entries are passed through once, however many changes there are. */
interface Changed {
  readonly guardrails: Set<string | null>
  readonly members: Set<string | null>
  readonly workspaces: Set<string | null>
  readonly budgets: Set<string | null>
  readonly presets: Set<string>
}

const stands = ({ key, guardrails, default_guardrail_id }: CompiledSource, changed: Changed): boolean =>
  changed.workspaces.has(key.workspace_id) ||
  changed.workspaces.has(key.default_workspace_id) ||
  changed.budgets.has(key.workspace_id) ||
  changed.members.has(key.user_id) ||
  changed.guardrails.has(default_guardrail_id) ||
  guardrails.some(({ guardrail }) => changed.guardrails.has(guardrail.id))

const isOfPreset = (place: string, { presets, workspaces }: Changed): boolean =>
  workspaces.has(place.slice(0, place.indexOf(" "))) || presets.has(place.slice(0, place.lastIndexOf(" ") + 1))

/** Forgets at once what an entry's place names, and notes in `changed` what has to be searched for. */
const noteChange = (caches: Caches, account_id: string, { noun, id, workspace_id }: Change, changed: Changed): void => {
  switch (noun) {
    case "key":
    case "key_assignment":
    case "key_rate_limits":
      return caches.sources.forget(id, account_id)
    case "account":
      return caches.sources.forgetOwner(account_id)
    case "catalog":
    case "private_endpoint":
    case "private_provider":
      // Policies are compiled with the names of the catalog.
      for (const cache of [caches.models, caches.speeds, caches.sources]) cache.forgetOwner(account_id)
      return
    case "byok_credential":
      return caches.credentials.forget(workspace_id ?? "", account_id)
    case "guardrail":
      return void changed.guardrails.add(id)
    case "member_assignment":
      return void changed.members.add(id)
    case "organization_settings":
      return caches.settings.forget(account_id, account_id)
    case "preset":
      return void changed.presets.add(presetsOf(workspace_id ?? "", id))
    case "workspace_budget":
      return void changed.budgets.add(workspace_id)
    case "workspace":
      caches.credentials.forget(id, account_id)
      return void changed.workspaces.add(id)
    default:
      noun satisfies StoodOnByNone
  }
}

/** No decision stands on these: a new noun is one of them, or has a case. */
type StoodOnByNone =
  | "alert_channel"
  | "authorization_code"
  | "credit_grant"
  | "destination"
  | "directory_group"
  | "directory_sync"
  | "directory_user"
  | "erasure"
  | "external_user"
  | "federation_policy"
  | "file"
  | "group_mapping"
  | "workspace_member"

const forgetChanges = (caches: Caches, changes: readonly Change[]): void => {
  const byAccount = new Map<string, Changed>()
  for (const change of changes) {
    const { account_id } = change
    if (account_id === null) {
      for (const cache of [caches.models, caches.speeds, caches.sources]) cache.clear()
      continue
    }
    const changed = byAccount.get(account_id) ?? {
      guardrails: new Set(),
      members: new Set(),
      workspaces: new Set(),
      budgets: new Set(),
      presets: new Set()
    }
    byAccount.set(account_id, changed)
    noteChange(caches, account_id, change, changed)
  }
  for (const [account_id, changed] of byAccount) {
    if ([changed.guardrails, changed.members, changed.workspaces, changed.budgets].some(({ size }) => size > 0))
      caches.sources.forgetWhere((_, source) => Option.isSome(source) && stands(source.value, changed), account_id)
    if (changed.presets.size > 0 || changed.workspaces.size > 0)
      caches.presets.forgetWhere((place) => isOfPreset(place, changed), account_id)
  }
}

/** What an entry takes beside its value and its key. */
const entryBytes = 512

const weigh = (value: unknown, key: string): number => entryBytes + bytesHeld(key) + bytesHeld(value)

/** Lists of guardrails are held as they are stored, as policies, and as filters. */
const formsOfGuardrail = 3

/** In bytes. */
export const weighSource = (source: Option.Option<CompiledSource>, key: string): number => {
  if (Option.isNone(source)) return weigh(undefined, key)
  const { key: of, guardrails, workspace, rate_limits } = source.value
  return weigh([of, workspace, rate_limits], key) + formsOfGuardrail * bytesHeld(guardrails)
}

/** Look-ups of an account at once. */
const lookUpsOfAccount = 4

/** In bytes: an account whose look-ups find more has one at a time, for a while. */
const heavyBytes = 524_288

/** Of the weight that an account was seen with, what counts beside its next look-up. */
const fading = 0.9

/** Accounts whose look-ups were heavy. */
const mostHeavy = 10_000

/**
 * What a decision reads may be megabytes, which an account chooses and no cache keeps. Its look-ups wait for each other, so that others wait
 * for one of them.
 */
const makeLookUps = (): LookUps => {
  const heavy = new Map<string, number>()
  const turns = makeWaitingTurns((account_id) => (heavy.has(account_id) ? 1 : lookUpsOfAccount))
  return {
    inTurn: (account_id) => outsideTransactions(turns.goingOn(account_id)),
    found: (account_id, weight) => {
      const weighs = Math.max(weight, fading * (heavy.get(account_id) ?? 0))
      heavy.delete(account_id)
      if (weighs <= heavyBytes) return
      evictOldest(heavy, mostHeavy)
      heavy.set(account_id, weighs)
    }
  }
}

/** `bytes`: of all of them together. Anybody who writes chooses how long an entry is, so entries count by their bytes. */
export const makeDecisionCache = (freshness: FreshnessState, bytes: number): DecisionCaches => {
  const lookUps = makeLookUps()
  const ofShare = <V>(sixteenths: number, turns?: LookUps): ValidatedCache<V> =>
    makeValidatedCache<V>(freshness, (bytes / 16) * sixteenths, weigh, turns)
  const caches: Caches = {
    sources: makeValidatedCache(freshness, (bytes / 16) * 7, weighSource, lookUps),
    models: ofShare(4, lookUps),
    credentials: ofShare(1, lookUps),
    // Their measurements wait for each other.
    speeds: ofShare(1),
    presets: ofShare(2, lookUps),
    settings: ofShare(1)
  }
  freshness.onChange((changes: Changes) => {
    if (changes !== "everything") return forgetChanges(caches, changes)
    for (const cache of Object.values(caches)) cache.clear()
  })
  return {
    ...caches,
    sourcesBySecret: makeKeptByKey(caches.sources, (source) => Option.getOrUndefined(source)?.key)
  }
}

export class DecisionCache extends Context.Service<DecisionCache, DecisionCaches>()("gatewarden/DecisionCache") {}

/** Guardrails name models by slug or canonical slug; requests are compared by the name under which usage is recorded. */
const compileGuardrails = Effect.fnUntraced(function* (account_id: string, guardrails: readonly AppliedGuardrail[]) {
  const names = new Set(
    guardrails.flatMap(({ guardrail }) => [...(guardrail.allowed_models ?? []), ...(guardrail.ignored_models ?? [])])
  )
  const resolved = names.size === 0 ? undefined : yield* (yield* ModelCatalog).resolve(account_id, [...names])
  return compilePolicy(guardrails, (name) => {
    const model = resolved?.get(name)
    return model === undefined ? name : joinVariant(model)
  })
})

/** What applies to a key, with its guardrails compiled. */
export const compileSource = Effect.fnUntraced(function* (source: PolicySource) {
  const { key, guardrails } = source
  return {
    ...source,
    policy: yield* compileGuardrails(key.account_id, guardrails),
    filters: compileFilters(guardrails),
    default_guardrail_id: key.workspace_id === null ? null : defaultGuardrailId(key.workspace_id)
  } satisfies CompiledSource
})

/**
 * Reads and compiles what applies to a key, through the cache.
 *
 * `secret_hash`: of the key, or of any secret of it. Whether that one still opens the key is for the caller to judge (`endOfSecret`).
 */
export const compiledSource = Effect.fnUntraced(function* (account_id: string, secret_hash: string) {
  const { sourcesBySecret } = yield* DecisionCache
  return yield* sourcesBySecret.get(secret_hash, lookUpSource(account_id), account_id)
})

const lookUpSource = (account_id: string) =>
  Effect.fnUntraced(function* (hash: string) {
    const found = yield* (yield* PolicySources).of(account_id, hash)
    if (Option.isNone(found)) return Option.none<CompiledSource>()
    return Option.some(yield* compileSource(found.value))
  })
