/** The services of an instance in addition to its store: the vault, the caches, the admissions. */
import { Context, Effect, Layer } from "effect"
import { layerAdmissionTokens } from "../access/AdmissionTokens.ts"
import { Freshness, type FreshnessState, layerFreshness } from "../cache/Freshness.ts"
import { KeyCache, makeKeyCache } from "../cache/KeyCache.ts"
import { CacheBytes } from "../cache/ValidatedCache.ts"
import { RecipientCache, makeRecipientCache } from "../delivery/RecipientCache.ts"
import { layerDeliverySignal } from "../delivery/dispatch.ts"
import { layerIssuerKeys } from "../federation/IssuerKeys.ts"
import { layerVerificationSlots } from "../federation/VerificationSlots.ts"
import { layerAdmittedSizes, layerLiveAdmissions } from "../ledger/AdmittedSizes.ts"
import { layerBudgetWarningFeed } from "../ledger/BudgetWarningFeed.ts"
import { rememberingDenials } from "../limits/rateLimits.ts"
import { CatalogAnswers, makeCatalogAnswers } from "../model/CatalogAnswers.ts"
import { DecisionCache, makeDecisionCache } from "../policy/DecisionCache.ts"
import { RequestCounts } from "../ports/limits.ts"
import type { Store } from "../ports/StoreHandle.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import type { LayeredStore } from "../ports/storeLayer.ts"
import { layerAnalyticsSlots } from "../usage/analytics/AnalyticsSlots.ts"
import type { Keyring } from "../vault/Keyring.ts"
import { layerVault } from "../vault/Vault.ts"
import type { Platform } from "./createGatewarden.ts"
import { notifyingPorts } from "./notifyingPorts.ts"

/** A cache that has so many eighths of the bytes for caches. */
const inShare = <C>(eighths: number, make: (freshness: FreshnessState, bytes: number) => C) =>
  Effect.gen(function* () {
    return make(yield* Freshness, ((yield* CacheBytes) / 8) * eighths)
  })

/** The store, and caches that learn of each change: of this process's as soon as it is committed, of others' from the stream. */
const layerTold = (store: Context.Context<StorePorts>) =>
  Layer.mergeAll(
    Layer.effectContext(
      Effect.map(Freshness, (freshness) =>
        Context.add(
          notifyingPorts(store, freshness),
          RequestCounts,
          rememberingDenials(Context.get(store, RequestCounts))
        )
      )
    ),
    Layer.effect(KeyCache, inShare(1, makeKeyCache)),
    Layer.effect(DecisionCache, inShare(7, makeDecisionCache)),
    Layer.effect(CatalogAnswers, Effect.map(Freshness, makeCatalogAnswers)),
    Layer.effect(RecipientCache, Effect.map(Freshness, makeRecipientCache))
  ).pipe(Layer.provide(layerFreshness()))

/** All services that operations need, over a store. Fresh at each build, so that two instances share nothing. */
export const layerInstance = <E, R>(store: Layer.Layer<StorePorts, E, R>, keyring: Keyring) =>
  Layer.mergeAll(
    Layer.unwrap(Effect.map(Layer.build(store), layerTold)),
    layerVault(keyring),
    layerBudgetWarningFeed,
    layerDeliverySignal,
    layerLiveAdmissions,
    layerIssuerKeys,
    layerVerificationSlots,
    layerAnalyticsSlots,
    layerAdmittedSizes,
    layerAdmissionTokens(keyring)
  )

/** Whether a value is a store or platform created by a Gatewarden package, and not the function that creates one, or a URL. */
export const holdsLayer = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "layer" in value && Layer.isLayer(value.layer)

/** The same of a store, which may load its layer later. */
export const holdsStore = (value: unknown): boolean =>
  holdsLayer(value) ||
  (typeof value === "object" && value !== null && "load" in value && typeof value.load === "function")

/** The layer of a store, loaded once it is built. */
export const storeLayer = (store: Store): Layer.Layer<StorePorts, unknown> => {
  const held = store as LayeredStore
  return "layer" in held ? held.layer : Layer.unwrap(Effect.promise(held.load))
}

interface LayeredPlatform extends Platform {
  readonly layer: Layer.Layer<never>
}

/** For platform packages: wraps a layer of the core's references, such as `Digest` and `TextScanner`. */
export const makePlatform = (name: string, layer: Layer.Layer<never>): Platform => ({ name, layer }) as LayeredPlatform

/**
 * The layer inside a platform. In a file of its own, because the declaration of `Platform.ts` shows no Effect type.
 *
 * The default without a platform: WebCrypto and this thread.
 */
export const platformLayer = (platform: Platform | undefined): Layer.Layer<never> =>
  platform === undefined ? Layer.empty : (platform as LayeredPlatform).layer
