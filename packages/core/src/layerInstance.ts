/** What an instance holds for itself, beside its store: the vault, what it remembers, what it has admitted. */
import { Effect, Layer } from "effect"
import { KeyCache, makeKeyCache } from "./access/KeyCache.ts"
import { Freshness, layerFreshness } from "./stream/Freshness.ts"
import { layerAdmittedSizes } from "./ledger/AdmittedSizes.ts"
import { layerAdmissionTokens } from "./ledger/AdmissionTokens.ts"
import { layerBudgetWarningFeed } from "./ledger/BudgetWarningFeed.ts"
import { DecisionCache, makeDecisionCache } from "./decision/DecisionCache.ts"
import { layerLiveAdmissions } from "./ledger/LiveAdmissions.ts"
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
