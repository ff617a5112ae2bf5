/** What an instance holds for itself, beside its store: the vault, what it remembers for a moment, what it has admitted. */
import { Layer } from "effect"
import { KeyCache, makeKeyCache } from "./access/KeyCache.ts"
import { layerAdmissionTokens } from "./enforcement/AdmissionTokens.ts"
import { layerBudgetWarningFeed } from "./enforcement/BudgetWarningFeed.ts"
import { layerDecisionCache } from "./enforcement/DecisionCache.ts"
import { layerLiveAdmissions } from "./enforcement/LiveAdmissions.ts"
import type { Keyring } from "./vault/Keyring.ts"
import { layerVault } from "./vault/Vault.ts"

/** A fresh one each time it is built: two instances share nothing. */
export const layerInstance = (keyring: Keyring) =>
  Layer.mergeAll(
    layerVault(keyring),
    Layer.sync(KeyCache, makeKeyCache),
    layerBudgetWarningFeed,
    layerDecisionCache,
    layerLiveAdmissions,
    layerAdmissionTokens(keyring)
  )
