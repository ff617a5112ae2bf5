import type { StorePorts } from "../ports/StorePorts.ts"
import type { AdmissionTokens } from "../access/AdmissionTokens.ts"
import type { KeyCache } from "../cache/KeyCache.ts"
import type { DecisionCache } from "../policy/DecisionCache.ts"
import type { DeliverySignal } from "../delivery/dispatch.ts"
import type { RecipientCache } from "../delivery/RecipientCache.ts"
import type { IssuerKeys } from "../federation/IssuerKeys.ts"
import type { VerificationSlots } from "../federation/VerificationSlots.ts"
import type { AdmittedSizes, LiveAdmissions } from "../ledger/AdmittedSizes.ts"
import type { CatalogAnswers } from "../model/CatalogAnswers.ts"
import type { AnalyticsSlots } from "../usage/analytics/AnalyticsSlots.ts"
import type { Vault } from "../vault/Vault.ts"

/** The services that operations may use: the ports of the store, and the services of the instance. */
export type Services =
  | StorePorts
  | AdmissionTokens
  | AdmittedSizes
  | CatalogAnswers
  | DecisionCache
  | IssuerKeys
  | VerificationSlots
  | AnalyticsSlots
  | DeliverySignal
  | RecipientCache
  | KeyCache
  | LiveAdmissions
  | Vault
