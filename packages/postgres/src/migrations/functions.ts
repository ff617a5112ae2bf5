/** Every function of the database, after those that it calls. */
import { admitKey } from "../ledger/functions/admitKey.ts"
import { alertOfWarning } from "../ledger/functions/alertOfWarning.ts"
import { enterLedger } from "../ledger/functions/enterLedger.ts"
import { enterSpending } from "../ledger/functions/enterSpending.ts"
import { epochs } from "../ledger/functions/epochs.ts"
import { holdRequests } from "../ledger/functions/holdRequests.ts"
import { refuseInterval } from "../ledger/functions/refuseInterval.ts"
import { intervalPlace } from "../ledger/functions/intervalPlace.ts"
import { windowEnd } from "../ledger/functions/windowEnd.ts"
import { keepBudgets } from "../ledger/functions/keepBudgets.ts"
import { keepSums } from "../ledger/functions/keepSums.ts"
import { releaseHold } from "../ledger/functions/releaseHold.ts"
import { settleEvents } from "../ledger/functions/settleEvents.ts"
import { spender } from "../ledger/functions/spender.ts"
import { spenderSlot } from "../ledger/functions/spenderSlot.ts"
import { sweepHolds } from "../ledger/functions/sweepHolds.ts"
import { warn } from "../ledger/functions/warn.ts"
import { windowStart } from "../ledger/functions/windowStart.ts"
import { acknowledgeDelivery } from "../ports/functions/acknowledgeDelivery.ts"
import { addKeys } from "../ports/functions/addKeys.ts"
import { addListed } from "../ports/functions/addListed.ts"
import { addStored } from "../ports/functions/addStored.ts"
import { countAssignments } from "../ports/functions/countAssignments.ts"
import { countCredentials } from "../ports/functions/countCredentials.ts"
import { countExternalUsers } from "../ports/functions/countExternalUsers.ts"
import { countFiles } from "../ports/functions/countFiles.ts"
import { countInWorkspace } from "../ports/functions/countInWorkspace.ts"
import { countKeys } from "../ports/functions/countKeys.ts"
import { countOfAccount } from "../ports/functions/countOfAccount.ts"
import { countRepetitions } from "../ports/functions/countRepetitions.ts"
import { countPresetVersions } from "../ports/functions/countPresetVersions.ts"
import { countRequest } from "../ports/functions/countRequest.ts"
import { forgetWorkspaceAmounts } from "../ports/functions/forgetWorkspaceAmounts.ts"
import { hasRoomForPreset } from "../ports/functions/hasRoomForPreset.ts"
import { dropUsers, keepUsers, nameUsers } from "../ports/functions/nameUsers.ts"
import { nextByokPlace } from "../ports/functions/nextByokPlace.ts"
import { noteDeletedSecrets } from "../ports/functions/noteDeletedSecrets.ts"
import { noteDeletedKeys } from "../ports/functions/noteDeletedKeys.ts"
import { noteAttempt } from "../ports/functions/noteAttempt.ts"
import { forgetRecipients } from "../ports/functions/forgetRecipients.ts"
import { raiseAlert } from "../ports/functions/raiseAlert.ts"
import { rankingLock } from "../ports/functions/rankingLock.ts"
import { rankingNoteLate } from "../ports/functions/rankingNoteLate.ts"
import { rowLevelSecurity } from "../ports/functions/rowLevelSecurity.ts"
import { wakeDelivery } from "../ports/functions/wakeDelivery.ts"
import { actingFacts } from "../stream/functions/actingFacts.ts"
import { chainHashes } from "../stream/functions/chainHash.ts"
import { logCatalogChange } from "../stream/functions/logCatalogChange.ts"
import { logOwnModelChange } from "../stream/functions/logOwnModelChange.ts"
import { recordRows } from "../stream/functions/recordRows.ts"
import { sealChanges } from "../stream/functions/sealChanges.ts"
import type { SqlFunction } from "./SqlFunction.ts"

export const functions: readonly SqlFunction[] = [
  enterSpending,
  enterLedger,
  refuseInterval,
  intervalPlace,
  spender,
  spenderSlot,
  windowStart,
  windowEnd,
  epochs,
  keepBudgets,
  raiseAlert,
  alertOfWarning,
  forgetRecipients,
  warn,
  holdRequests,
  settleEvents,
  sweepHolds,
  releaseHold,
  keepSums,
  admitKey,
  wakeDelivery,
  noteAttempt,
  acknowledgeDelivery,
  countRequest,
  keepUsers,
  dropUsers,
  nameUsers,
  nextByokPlace,
  noteDeletedKeys,
  noteDeletedSecrets,
  rankingLock,
  rankingNoteLate,
  addStored,
  addListed,
  addKeys,
  countOfAccount,
  countRepetitions,
  countInWorkspace,
  countCredentials,
  countKeys,
  countAssignments,
  countExternalUsers,
  countFiles,
  countPresetVersions,
  forgetWorkspaceAmounts,
  hasRoomForPreset,
  rowLevelSecurity,
  logCatalogChange,
  logOwnModelChange,
  ...recordRows,
  actingFacts,
  chainHashes,
  sealChanges
]
