/** What an instance holds for itself, beside its store: the vault, what it remembers, what it has admitted. */
import { Effect, Layer } from "effect"
import { KeyCache, makeKeyCache } from "./access/KeyCache.ts"
import { Freshness, layerFreshness } from "./changes/Freshness.ts"
import { layerAdmittedSizes } from "./enforcement/AdmittedSizes.ts"
import { layerAdmissionTokens } from "./enforcement/AdmissionTokens.ts"
import { layerBudgetWarningFeed } from "./enforcement/BudgetWarningFeed.ts"
import { DecisionCache, makeDecisionCache } from "./enforcement/DecisionCache.ts"
import { layerLiveAdmissions } from "./enforcement/LiveAdmissions.ts"
import type { Keyring } from "./vault/Keyring.ts"
import { layerVault } from "./vault/Vault.ts"

/** Both learn of a change from one look at the log. */
const layerCaches = () =>
  Layer.mergeAll(
    Layer.effect(KeyCache, Effect.map(Freshness, makeKeyCache)),
    Layer.effect(DecisionCache, Effect.map(Freshness, makeDecisionCache))
  ).pipe(Layer.provide(layerFreshness()))

/** A fresh one each time it is built: two instances share nothing. */
export const layerInstance = (keyring: Keyring) =>
  Layer.mergeAll(
    layerVault(keyring),
    layerCaches(),
    layerBudgetWarningFeed,
    layerLiveAdmissions,
    layerAdmittedSizes,
    layerAdmissionTokens(keyring)
  )
