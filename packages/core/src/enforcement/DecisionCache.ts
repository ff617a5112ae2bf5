/**
 * What decisions stand on, remembered: a busy key costs no query per admission. One per instance of the product.
 *
 * A change made on this process clears it at once; one made elsewhere is forgotten when the log of changes tells it, within two
 * seconds (decisions 2).
 */
import type { ByokCredential, CatalogModel, PresetVersion } from "@gatewarden/contract"
import { Context, type Option } from "effect"
import type { Change, Changes, ChangeTopic } from "../changes/ChangeLog.ts"
import type { FreshnessState } from "../changes/Freshness.ts"
import { makeTrustedCache, type TrustedCache } from "../changes/TrustedCache.ts"
import type { CompiledFilters } from "../contentFilter/CompiledFilters.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import type { PolicySource } from "./PolicySources.ts"

/** What applies to a key, ready to decide. */
export interface CompiledSource extends PolicySource {
  readonly policy: CompiledPolicy
  readonly filters: CompiledFilters
}

interface Caches {
  /** By account and hash: `sourcePlace`. */
  readonly sources: TrustedCache<Option.Option<CompiledSource>>
  /** By name as a request writes it; undefined: the catalog has no such model. */
  readonly models: TrustedCache<CatalogModel | undefined>
  /** By workspace. */
  readonly credentials: TrustedCache<readonly ByokCredential[]>
  /** By workspace, slug and version: `presetPlace`. */
  readonly presets: TrustedCache<Option.Option<PresetVersion>>
}

export interface DecisionCaches extends Caches {
  readonly clear: () => void
}

export const sourcePlace = (account_id: string, key_hash: string): string => `${account_id} ${key_hash}`

export const presetPlace = (workspace_id: string, slug: string, version: number | null): string =>
  `${workspace_id} ${slug} ${version ?? ""}`

/** The id with which the name of a place begins. */
const ownerOf = (place: string): string => place.slice(0, place.indexOf(" "))

const forgetIn = (caches: Caches, changes: readonly Change[]): void => {
  const about = (...topics: readonly ChangeTopic[]) => changes.filter(({ topic }) => topics.includes(topic))
  // Policies are compiled with the names of the catalog.
  if (about("catalog").length > 0) {
    caches.models.clear()
    caches.sources.clear()
  }
  for (const { account_id, id } of about("key")) caches.sources.forget(sourcePlace(account_id ?? "", id))
  const accounts = new Set(about("member", "guardrail", "workspace").map(({ account_id }) => account_id))
  if (accounts.size > 0) caches.sources.forgetWhere((place) => accounts.has(ownerOf(place)))
  for (const { id } of about("credential", "workspace")) caches.credentials.forget(id)
  const workspaces = new Set(about("preset", "workspace").map(({ id }) => id))
  if (workspaces.size > 0) caches.presets.forgetWhere((place) => workspaces.has(ownerOf(place)))
}

export const makeDecisionCache = (freshness: FreshnessState): DecisionCaches => {
  const caches: Caches = {
    sources: makeTrustedCache(freshness, 50_000),
    models: makeTrustedCache(freshness, 10_000),
    credentials: makeTrustedCache(freshness, 10_000),
    presets: makeTrustedCache(freshness, 10_000)
  }
  const clear = (): void => {
    for (const cache of Object.values(caches)) cache.clear()
  }
  freshness.onChange((changes: Changes) => (changes === "everything" ? clear() : forgetIn(caches, changes)))
  return { ...caches, clear }
}

export class DecisionCache extends Context.Service<DecisionCache, DecisionCaches>()("gatewarden/DecisionCache") {}
