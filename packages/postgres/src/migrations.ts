/** Every migration, in order. Forward only: one that was released is never edited, a change is a new file. */
import { accounts } from "./migrations/0001_accounts.ts"
import { guardrails } from "./migrations/0002_guardrails.ts"
import { requests } from "./migrations/0003_requests.ts"
import { byok } from "./migrations/0004_byok.ts"
import { destinations } from "./migrations/0005_destinations.ts"
import { authorization } from "./migrations/0006_authorization.ts"
import { presets } from "./migrations/0007_presets.ts"
import { files } from "./migrations/0008_files.ts"
import { catalog } from "./migrations/0009_catalog.ts"
import { usage } from "./migrations/0010_usage.ts"
import { rankings } from "./migrations/0011_rankings.ts"
import { enforcement } from "./migrations/0012_enforcement.ts"
import { changeLog } from "./migrations/0013_change_log.ts"
import { ledger } from "./migrations/0014_ledger.ts"
import { users } from "./migrations/0015_users.ts"
import { ledgerStep } from "./migrations/0016_ledger_step.ts"
import { keyRates } from "./migrations/0017_key_rates.ts"
import { readableChanges } from "./migrations/0018_readable_changes.ts"
import { ledgerFunctions } from "./migrations/0019_ledger_functions.ts"
import { settlingMembers } from "./migrations/0020_settling_members.ts"
import { keyedPlans } from "./migrations/0021_keyed_plans.ts"
import { holdsOfSpenders } from "./migrations/0022_holds_of_spenders.ts"
import { keptSums } from "./migrations/0023_kept_sums.ts"
import { lists } from "./migrations/0024_lists.ts"
import { gatewayKeys } from "./migrations/0025_gateway_keys.ts"
import { unscannable } from "./migrations/0026_unscannable.ts"
import { selfReported } from "./migrations/0027_self_reported.ts"
import { batchedLedger } from "./migrations/0028_batched_ledger.ts"
import { batchedSettlements } from "./migrations/0029_batched_settlements.ts"
import { ownModels } from "./migrations/0030_own_models.ts"
import { storedAmounts } from "./migrations/0031_stored_amounts.ts"
import { oneClock } from "./migrations/0032_one_clock.ts"
import { publicEvents } from "./migrations/0033_public_events.ts"
import { keyedHolds } from "./migrations/0034_keyed_holds.ts"
import { keyedSettlements } from "./migrations/0035_keyed_settlements.ts"
import { listCounts } from "./migrations/0036_list_counts.ts"
import { heldSizes } from "./migrations/0037_held_sizes.ts"
import { chargedSums } from "./migrations/0038_charged_sums.ts"
import { keyStates } from "./migrations/0039_key_states.ts"

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
