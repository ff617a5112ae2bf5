/**
 * What decisions stand on, remembered: a busy key costs no query per admission. One per instance of the product.
 *
 * Every entry belongs to an account. A change made on this process forgets the entries of the account that changed at once; one made
 * elsewhere is forgotten when the log of changes tells it, within two seconds (Rule: access#changes-take-effect). Refusals and
 * reads forget nothing.
 */
import type { ByokCredential, PresetVersion } from "@gatewarden/contract"
import { Context, type Option } from "effect"
import type { Change, Changes } from "../stream/ChangeLog.ts"
import type { FreshnessState } from "../stream/Freshness.ts"
import { makeTrustedCache, type TrustedCache } from "../stream/TrustedCache.ts"
import type { CompiledFilters } from "../filter/CompiledFilters.ts"
import type { VisibleModel } from "../model/ownModels.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import type { EndpointSpeed } from "./orderCandidates.ts"
import type { PolicySource } from "./PolicySources.ts"

/** What applies to a key, ready to decide. */
export interface CompiledSource extends PolicySource {
  readonly policy: CompiledPolicy
  readonly filters: CompiledFilters
}

interface Caches {
  /** By hash. */
  readonly sources: TrustedCache<Option.Option<CompiledSource>>
  /** By name as a request writes it; undefined: the account sees no such model. */
  readonly models: TrustedCache<VisibleModel | undefined>
  /** By workspace. */
  readonly credentials: TrustedCache<readonly ByokCredential[]>
  /** By id of the model: what was measured of its endpoints, in their order, up to a minute ago. */
  readonly speeds: TrustedCache<readonly EndpointSpeed[]>
  /** By workspace, slug and version: `presetPlace`. */
  readonly presets: TrustedCache<Option.Option<PresetVersion>>
}

export interface DecisionCaches extends Caches {
  /** Forgets what the decisions of one account stand on. */
  readonly forgetAccount: (account_id: string) => void
  /** Forgets everything: the installation's catalog changed, which all accounts share. */
  readonly clear: () => void
}

export const presetPlace = (workspace_id: string, slug: string, version: number | null): string =>
  `${workspace_id} ${slug} ${version ?? ""}`

const forgetChange = (caches: Caches, { account_id, topic, id }: Change): void => {
  if (account_id === null) {
    // Policies are compiled with the names of the catalog.
    if (topic === "catalog") for (const cache of [caches.models, caches.speeds, caches.sources]) cache.clear()
    return
  }
  if (topic === "catalog") for (const cache of [caches.models, caches.speeds]) cache.forgetOwner(account_id)
  if (topic === "key") caches.sources.forget(id, account_id)
  else if (topic !== "credential" && topic !== "preset") caches.sources.forgetOwner(account_id)
  if (topic === "credential" || topic === "workspace") caches.credentials.forget(id, account_id)
  if (topic === "preset" || topic === "workspace") caches.presets.forgetOwner(account_id)
}

export const makeDecisionCache = (freshness: FreshnessState): DecisionCaches => {
  const caches: Caches = {
    sources: makeTrustedCache(freshness, 50_000),
    models: makeTrustedCache(freshness, 50_000),
    credentials: makeTrustedCache(freshness, 10_000),
    speeds: makeTrustedCache(freshness, 1_000),
    presets: makeTrustedCache(freshness, 10_000)
  }
  const clear = (): void => {
    for (const cache of Object.values(caches)) cache.clear()
  }
  const forgetAccount = (account_id: string): void => {
    for (const cache of Object.values(caches)) cache.forgetOwner(account_id)
  }
  freshness.onChange((changes: Changes) => {
    if (changes === "everything") return clear()
    for (const change of changes) forgetChange(caches, change)
  })
  return { ...caches, forgetAccount, clear }
}

export class DecisionCache extends Context.Service<DecisionCache, DecisionCaches>()("gatewarden/DecisionCache") {}
