/** Every migration, in order. Forward only: one that was released is never edited, a change is a new file. */
import { accounts } from "./0001_accounts.ts"
import { guardrails } from "./0002_guardrails.ts"
import { requests } from "./0003_requests.ts"
import { byok } from "./0004_byok.ts"
import { destinations } from "./0005_destinations.ts"
import { authorization } from "./0006_authorization.ts"
import { presets } from "./0007_presets.ts"
import { files } from "./0008_files.ts"
import { catalog } from "./0009_catalog.ts"
import { usage } from "./0010_usage.ts"
import { rankings } from "./0011_rankings.ts"
import { enforcement } from "./0012_enforcement.ts"
import { changeLog } from "./0013_change_log.ts"
import { ledger } from "./0014_ledger.ts"
import { users } from "./0015_users.ts"
import { ledgerStep } from "./0016_ledger_step.ts"
import { keyRates } from "./0017_key_rates.ts"
import { readableChanges } from "./0018_readable_changes.ts"
import { ledgerFunctions } from "./0019_ledger_functions.ts"
import { settlingMembers } from "./0020_settling_members.ts"
import { keyedPlans } from "./0021_keyed_plans.ts"
import { holdsOfSpenders } from "./0022_holds_of_spenders.ts"
import { keptSums } from "./0023_kept_sums.ts"
import { lists } from "./0024_lists.ts"
import { gatewayKeys } from "./0025_gateway_keys.ts"
import { unscannable } from "./0026_unscannable.ts"
import { selfReported } from "./0027_self_reported.ts"
import { batchedLedger } from "./0028_batched_ledger.ts"
import { batchedSettlements } from "./0029_batched_settlements.ts"
import { ownModels } from "./0030_own_models.ts"
import { storedAmounts } from "./0031_stored_amounts.ts"
import { oneClock } from "./0032_one_clock.ts"
import { publicEvents } from "./0033_public_events.ts"
import { keyedHolds } from "./0034_keyed_holds.ts"
import { keyedSettlements } from "./0035_keyed_settlements.ts"
import { listCounts } from "./0036_list_counts.ts"
import { heldSizes } from "./0037_held_sizes.ts"
import { chargedSums } from "./0038_charged_sums.ts"
import { keyStates } from "./0039_key_states.ts"

export const migrations = [
  accounts,
  guardrails,
  requests,
  byok,
  destinations,
  authorization,
  presets,
  files,
  catalog,
  usage,
  rankings,
  enforcement,
  changeLog,
  ledger,
  users,
  ledgerStep,
  keyRates,
  readableChanges,
  ledgerFunctions,
  settlingMembers,
  keyedPlans,
  holdsOfSpenders,
  keptSums,
  lists,
  gatewayKeys,
  unscannable,
  selfReported,
  batchedLedger,
  batchedSettlements,
  ownModels,
  storedAmounts,
  oneClock,
  publicEvents,
  keyedHolds,
  keyedSettlements,
  listCounts,
  heldSizes,
  chargedSums,
  keyStates
] as const
