/**
 * What decisions stand on, kept for a moment: a busy key costs no query per admission. One per instance of the product.
 *
 * A change made on this process clears it at once; one made elsewhere counts when the entries have lived their second
 * (decisions 2: within two seconds).
 */
import type { ByokCredential, CatalogModel, PresetVersion } from "@gatewarden/contract"
import { Context, Layer, type Option } from "effect"
import { makeShortLivedCache, type ShortLivedCache } from "../platform/ShortLivedCache.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import type { PolicySource } from "./PolicySources.ts"

/** What applies to a key, ready to decide. */
export interface CompiledSource extends PolicySource {
  readonly policy: CompiledPolicy
}

interface Caches {
  /** By account and hash. */
  readonly sources: ShortLivedCache<string, Option.Option<CompiledSource>>
  /** By name as a request writes it; undefined: the catalog has no such model. */
  readonly models: ShortLivedCache<string, CatalogModel | undefined>
  /** By workspace. */
  readonly credentials: ShortLivedCache<string, readonly ByokCredential[]>
  /** By workspace, slug and version. */
  readonly presets: ShortLivedCache<string, Option.Option<PresetVersion>>
}

export interface DecisionCaches extends Caches {
  readonly clear: () => void
}

const lifetimeMillis = 1_000

export const makeDecisionCache = (): DecisionCaches => {
  const caches: Caches = {
    sources: makeShortLivedCache({ lifetimeMillis, capacity: 50_000 }),
    models: makeShortLivedCache({ lifetimeMillis, capacity: 10_000 }),
    credentials: makeShortLivedCache({ lifetimeMillis, capacity: 10_000 }),
    presets: makeShortLivedCache({ lifetimeMillis, capacity: 10_000 })
  }
  return {
    ...caches,
    clear: () => {
      for (const cache of Object.values(caches)) cache.clear()
    }
  }
}

export class DecisionCache extends Context.Service<DecisionCache, DecisionCaches>()("gatewarden/DecisionCache") {}

export const layerDecisionCache = Layer.sync(DecisionCache, makeDecisionCache)
