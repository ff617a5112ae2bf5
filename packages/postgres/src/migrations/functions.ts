/** Every function of the database, after those that it calls. */
import { admitKey, releaseHold, sweepHolds } from "../functions/holds.ts"
import { alertOfWarning, raiseAlert, warn } from "../functions/warnings.ts"
import { enterLedger, enterSpending, keepBudgets, keepSums } from "../functions/sums.ts"
import { epochs, intervalPlace, refuseInterval, windowEnd, windowStart } from "../functions/intervals.ts"
import { holdRequests } from "../functions/holdRequests.ts"
import { settleEvents } from "../functions/settleEvents.ts"
import { spender, spenderSlot } from "../functions/spenders.ts"
import { acknowledgeDelivery, forgetRecipients, noteAttempt, wakeDelivery } from "../functions/deliveries.ts"
import {
  addKeys,
  addListed,
  addStored,
  countAssignments,
  countCredentials,
  countExternalUsers,
  countFiles,
  countInWorkspace,
  countKeys,
  countOfAccount,
  countPresetVersions,
  countRepetitions,
  forgetWorkspaceAmounts,
  hasRoomForPreset
} from "../functions/counts.ts"
import { countRequest } from "../functions/countRequest.ts"
import { dropUsers, keepUsers, nameUsers } from "../functions/nameUsers.ts"
import { nextByokPlace } from "../functions/nextByokPlace.ts"
import {
  actingFacts,
  logCatalogChange,
  logOwnModelChange,
  noteDeletedKeys,
  noteDeletedSecrets
} from "../functions/changes.ts"
import { rankingLock, rankingNoteLate } from "../functions/rankings.ts"
import { rowLevelSecurity } from "../functions/rowLevelSecurity.ts"
import { chainHashes, recordRows, sealChanges } from "../functions/audit.ts"
import type { SqlFunction } from "../functions/SqlFunction.ts"

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
