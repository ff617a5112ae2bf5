/**
 * What the packages of this repository need of the core beyond its doors. Nothing here is promised.
 *
 * It has what is on the doors for Effect and for stores too, so that whoever needs one name more imports from one place; but for routes of
 * `effect/http`, which load a hundred modules.
 */
export * from "./store.ts"
export { isLive } from "./access/liveKeys.ts"
export { createAccount, ensureDefaultAccount, resumeAccount, suspendAccount } from "./account/account.ts"
export { type DueAlert, claimFairly, mostOfMail } from "./alert/claimFairly.ts"
export { judgeDue } from "./alert/conditions.ts"
export { keepSendingAlerts, sendDueAlerts } from "./alert/dispatchAlerts.ts"
export { type AuditProof, nameEntries, verifyAuditLog } from "./audit/auditLog.ts"
export { auditedFacts } from "./audit/auditedFacts.ts"
export { contextOfSignature, sealChanges, signEnds } from "./audit/sealChanges.ts"
export {
  type BackgroundJob,
  type FactsRead,
  type JobHealth,
  type StreamReader,
  backgroundJobs,
  consume,
  jobHealth,
  jobProblem
} from "./background/backgroundTable.ts"
export { leaseSeconds, runBackgroundOnce, startBackground } from "./background/runBackground.ts"
export { KeyCache } from "./cache/KeyCache.ts"
export { CacheBytes } from "./cache/ValidatedCache.ts"
export {
  type ModelName,
  type NamedModel,
  type ProviderNames,
  type ResolvedModel,
  type Variants,
  entriesOf,
  findModel,
  hasVariant,
  joinVariant,
  providerNamesOf,
  recordedName,
  resolveModelName,
  splitVariant,
  variantsOf
} from "./catalog/modelNames.ts"
export {
  type OwnModelLimits,
  type VisibleModel,
  type VisibleName,
  claimsOf,
  isTaken,
  privateTags,
  visibleModels
} from "./catalog/ownModels.ts"
export { creditGrant, grantCredits } from "./credit/credits.ts"
export { admitInProcess as admit } from "./decision/admit.ts"
export { NotAdmitted, openCredential } from "./decision/credentials.ts"
export { explain } from "./explanation/explain.ts"
export { settleAdmission } from "./decision/settleAdmission.ts"
export { DeliveryMeter } from "./delivery/deliverBatch.ts"
export {
  type DeliveryHealth,
  deliveryHealth,
  deliveryProblem,
  dispatchDue,
  keepDispatching
} from "./delivery/dispatch.ts"
export { deliveryStatus, listDeadLetters, listDeliveries, replayDeadLetters } from "./delivery/operations.ts"
export { type Recipient, recipientOf, selectDestinations } from "./delivery/selectDestinations.ts"
export { emptyEvent } from "./delivery/testDestinationEvent.ts"
export { weighBody } from "./delivery/withoutMedia.ts"
export { contactOf } from "./directory/directoryResource.ts"
export {
  type ErasureRequest,
  type LastingKind,
  digestOfPerson,
  isLasting,
  obstaclesOf,
  contextOfErasure,
  remedies
} from "./erasure/erasure.ts"
export { createErasure } from "./erasure/operations.ts"
export { explainedAtOnce } from "./federation/VerificationSlots.ts"
export { exchangesOf, exchangesPerMinute } from "./federation/exchangeToken.ts"
export { sweepStaleFiles } from "./file/file.ts"
export { type ProviderFileStores, ProviderFiles } from "./file/ProviderFiles.ts"
export { type ProviderFilesOptions, makeProviderFiles } from "./file/makeProviderFiles.ts"
export { detectorOf } from "./filter/Detector.ts"
export { messagesOf, unpackHits } from "./filter/ScanJob.ts"
export { TextScanner, type TextScannerFunctions, isMoreWork, scanInSlices } from "./filter/TextScanner.ts"
export { PatternEngine } from "./filter/patterns/re2jsEngine.ts"
export { promiseEnforcement } from "./hosting/promiseEnforcement.ts"
export { type PromiseRunner, promiseRunner } from "./hosting/promiseRunner.ts"
export { type App, makeApp, requestIdPattern } from "./http/App.ts"
export {
  type AppAnswer,
  type AppRequest,
  type BodyProblem,
  discardAnswer,
  firstByteMillis,
  jsonType
} from "./http/AppRequest.ts"
export { basePathPattern } from "./http/AppSettings.ts"
export { accountShare, keyShare, maxBodyGraceMillis, minBodyBytesPerSecond } from "./http/BodyLimits.ts"
export { type Printed, envelope } from "./http/envelope.ts"
export { publicUrlPattern } from "./http/publicAddress.ts"
export { type RegionPolicy, ambiguousHost, regionOf, requestSpan } from "./http/requestSpan.ts"
export { docUrlPattern, errorDocsFor, isPathOfOurs, routeOf } from "./http/target.ts"
export { layerInstance, makePlatform, storeLayer } from "./instance/layerInstance.ts"
export { type OpenedInstance, openInstance } from "./instance/openInstance.ts"
export { type InstanceOptions, startInstance, startServices } from "./instance/startInstance.ts"
export { newApiKey } from "./key/key.ts"
export { areLastManagementKeys, isLastManagementKey } from "./key/managementKeys.ts"
export { replaceKey, revokeKey } from "./key/operations.ts"
export { rotateSecret } from "./key/rotateKey.ts"
export { packSize, unpackSize } from "./ledger/AdmissionSettings.ts"
export { LiveAdmissions } from "./ledger/AdmittedSizes.ts"
export {
  type BudgetWarningListener,
  type BudgetWarningListeners,
  layerBudgetWarningFeed,
  makeBudgetWarningFeed
} from "./ledger/BudgetWarningFeed.ts"
export {
  type Spender,
  isOfUser,
  spenderNameOf,
  spenderOf,
  spenders,
  spendersOf,
  userScopes
} from "./ledger/budgetsOf.ts"
export {
  type Amounts,
  type HoldJudgement,
  type SettlementJudgement,
  judgeHold,
  judgeSettlement
} from "./ledger/judgeHolds.ts"
export { cancelAdmission, renewAdmission } from "./ledger/operations.ts"
export { quotaState, StorageSettings } from "./limits/requireQuota.ts"
export { importCatalog } from "./model/putCatalog.ts"
export { openConfig, contextOfConfig, sealConfig } from "./destination/config.ts"
export { Cipher, type CipherFunctions } from "./platform/Cipher.ts"
export { Digest, type DigestFunctions } from "./platform/Digest.ts"
export { Entropy, type EntropySource } from "./platform/Entropy.ts"
export { type Fetch } from "./platform/Fetch.ts"
export { ProcessName } from "./platform/ProcessName.ts"
export { isPublicAddress } from "./platform/isPublicAddress.ts"
export { type LogFields, logParts } from "./platform/logParts.ts"
export { RequestFailed, openRequest, readBody, sendRequest } from "./platform/sendRequest.ts"
export { emptyBodyHash, signAwsRequest } from "./platform/signAwsRequest.ts"
export { DecisionCache } from "./policy/DecisionCache.ts"
export { defaultAccountName } from "./ports/accounts.ts"
export { expiryDays, failingSeconds, quietWaitSeconds, refusingSeconds, maxStandingAlerts } from "./ports/alerts.ts"
export { type AppRanks, type SessionCostCells } from "./ports/analytics.ts"
export { contextOfKey, unscoped } from "./ports/byok.ts"
export { type ChangesRead, maxChanges } from "./ports/changeLog.ts"
export type { Committed, Finish } from "./ports/backgroundJobs.ts"
export {
  type InsertedChange,
  type MovedEnd,
  type SignedEnd,
  auditExamined,
  auditPageBytes,
  maxBroken,
  sealBatch
} from "./ports/auditLog.ts"
export { type RecordedActor, actingAs, asServer } from "./ports/acting.ts"
export { type CreditTotals, mostCreditNanos } from "./ports/credits.ts"
export {
  type AttemptOutcome,
  type AttemptsRequest,
  type LastAnswer,
  type NewDeadLetter,
  type WantedTurns,
  keptAttempts,
  mostWaitingCounted,
  contextOfDeadBodies,
  refusalsUntilRefusing
} from "./ports/deliveries.ts"
export { type ReceivesSince, changedSince } from "./ports/destinations.ts"
export { type GroupChange, type Sought, type SyncedGroups } from "./ports/directory.ts"
export {
  type PersonalRow,
  type PersonalTable,
  addErased,
  erasureSteps,
  namedIn,
  personalTableNames,
  personalTables,
  stepAfter
} from "./ports/erasures.ts"
export { printedExternalUser } from "./externalUser/operations.ts"
export { type NamedPolicy } from "./ports/federationPolicies.ts"
export { type FilePlace, contentPieceSize } from "./ports/files.ts"
export { type Assigned, defaultGuardrailName, unrestricted } from "./ports/guardrails.ts"
export { idempotencyLifetimeMillis, contextOfAnswer } from "./ports/idempotency.ts"
export {
  type KeyFilter,
  type Retirement,
  type Rotation,
  endlessOverlap,
  keyFields,
  mostFormerSecrets,
  mostKnownSecrets,
  mostLiveSecrets
} from "./ports/keys.ts"
export { type HeldUnder, type KeyRateRequest, rateSpanMillis, warningKinds, warningPercents } from "./ports/ledger.ts"
export {
  type CountedRequest,
  type Oversized,
  type Quota,
  type QuotaState,
  type QuotaWindow,
  isOversized,
  maxCredentialBytes,
  maxDestinationBytes,
  maxEntityBytes,
  oversized,
  shareOf,
  takeFairly,
  withoutShare
} from "./ports/limits.ts"
export { mostNamed } from "./ports/names.ts"
export {
  defaultRetention,
  fewestUsageDays,
  mostUsageDays,
  retained,
  retainedNames,
  retentionVariable
} from "./ports/retention.ts"
export { type AnnouncedProcess, sealedFields, sealedPageBytes } from "./ports/secrets.ts"
export { defaultStorageLimits, variableOf } from "./ports/storageQuotas.ts"
export {
  type EqualField,
  type EventTag,
  type HistoryPage,
  type HistoryRange,
  adjustmentTo,
  bytesAtOnce,
  equalFields,
  eventsAtOnce,
  noUsage,
  passes,
  spendingOf,
  traceTags,
  withAdjustments
} from "./ports/usage.ts"
export {
  type Contact,
  type NewMember,
  type User,
  defaultOrganizationSettings,
  shownWorkspace
} from "./ports/workspaces.ts"
export { bytesOfVersion, newPreset } from "./preset/preset.ts"
export {
  type PrivateEndpointRow,
  tagOfPrivateEndpoint,
  withPrivateEndpoints
} from "./privateEndpoint/withPrivateEndpoints.ts"
export { isLogged, promptLoggingOf } from "./prompt/promptLogging.ts"
export { contextOfBodies, sealBodies } from "./prompt/sealBodies.ts"
export { replayUsage } from "./explanation/replayUsage.ts"
export { type SecretsCheck, checkSecrets, rewrapSecrets } from "./rotation/rotation.ts"
export { isTraced } from "./tracing/operation.ts"
export type { TaskSums, TokenTotal } from "./ports/analytics.ts"
export type { OutgoingEvent } from "./ports/usage.ts"
export { AnalyticsTimeout } from "./usage/analytics/AnalyticsSlots.ts"
export { type EventMeasure, type Metric, type Total } from "./usage/analytics/metrics.ts"
export {
  type Range,
  type RollupSource,
  divideByDays,
  printSource,
  rollups,
  sourceOf
} from "./usage/analytics/rollups.ts"
export { planQuery } from "./usage/analytics/planQuery.ts"
export { queryAnalytics } from "./usage/analytics/queryAnalytics.ts"
export {
  firstCountedDay,
  leastAccounts,
  leastSessions,
  mostDailyApps,
  mostDailyTasks,
  mostSessionCells,
  mostTaskModels,
  mostTasks,
  taskClassifier,
  taskPattern,
  turnRanges,
  windowsBefore
} from "./usage/datasets/datasetRules.ts"
export { appUrlPattern, originOfApp, privateHostPattern } from "./usage/datasets/datasets.ts"
export { readEventFilter, readEvents, readStretch } from "./usage/export/exportUsageEvents.ts"
export { eventFormatOf, eventFormats, exportHeader } from "./usage/export/printedEvents.ts"
export { getGenerationContent } from "./usage/generation/generation.ts"
export { invoiceCsv, makeInvoice } from "./usage/invoice/invoice.ts"
export { otherModels } from "./usage/rankings/rankings.ts"
export { addDays, firstRankedDay } from "./usage/rankings/window.ts"
export { importUsageEvents, recordUsageEvents } from "./usage/recordUsageEvents.ts"
export { percentiles, statisticsWindows, uptimeOf } from "./model/measureEndpoint.ts"
export { type Page, type PageRequest, everyEntry, maxPageBytes } from "./value/Page.ts"
export { copiedAtOnce, inPieces, pieceBytes } from "./value/bytes.ts"
export {
  type Granularity,
  clockToleranceMillis,
  dayMillis,
  formatInstant,
  startOfBucket,
  timestamp
} from "./value/calendar.ts"
export { type BadRequest } from "./value/failure.ts"
export { makeFairQueue } from "./value/fairQueue.ts"
export { LoopTurns, type LoopTurnsFunctions, WorkingAccount, inSlices } from "./value/inSlices.ts"
export { mostOfValues } from "./value/measureJson.ts"
export { type Decimal, formatDecimal, formatUsd, parseDecimal, usdNumber } from "./value/money.ts"
export { parseJson } from "./value/parseJson.ts"
export { compareText, csvCell, foldName, safeCsvCell, textOfSafeCell, withoutTrailingSlashes } from "./value/text.ts"
export { type EncryptionContext, SecretUnreadable, Vault, envelopePrefix, keyIdOf, layerVault } from "./vault/Vault.ts"
export { changedBudget, sortBudgets } from "./workspace/budgets.ts"
export type { Caller } from "./access/Caller.ts"
export { HostAuthentication } from "./access/callerOfHost.ts"
export { type Pace, patienceMillis } from "./http/AppRequest.ts"
export { type AppSettings, defaultSettings } from "./http/AppSettings.ts"
export { webHandler } from "./http/webHandler.ts"
export { layerMemory } from "./memory/memoryStore.ts"
export type { Services } from "./http/Services.ts"
export {
  type DetectedKind,
  type Detection,
  Detector,
  DetectorFailed,
  type DetectorFunctions
} from "./filter/Detector.ts"
export { presidioDetector } from "./filter/presidioDetector.ts"
export { AdmissionSettings } from "./ledger/AdmissionSettings.ts"
export { MailTransport } from "./alert/mail.ts"
export { OutgoingFetch } from "./platform/OutgoingFetch.ts"
export { keepRunning, runBackground } from "./background/runBackground.ts"
export { type HeldBytes, bytesInFlight } from "./http/BytesInFlight.ts"
export { defaultBodyLimits, maxShortBytes } from "./http/BodyLimits.ts"
export { measureJson } from "./value/measureJson.ts"
export { GatheredBytes } from "./value/bytes.ts"
export { issuesOf } from "./value/checkInput.ts"
export { issuePath } from "./value/issues.ts"
export { parseBody } from "./value/parseLongJson.ts"
export { type Keyring, newKeyring, parseKeyring } from "./vault/Keyring.ts"
export { authenticate } from "./access/authenticate.ts"
export { getGuardrail } from "./guardrail/operations.ts"
export { candidateOf, firstPartyProviders } from "./policy/Candidate.ts"
export { compilePolicy } from "./policy/CompiledPolicy.ts"
export { permittedCandidates } from "./policy/decide.ts"
export { checkKeyFormat } from "./access/keyFormat.ts"
export type { DueWarning } from "./ledger/budgetWarnings.ts"
export { endOfSecret, rotatedSecrets } from "./access/secretsOfKey.ts"
export { exceededRates } from "./ledger/judgeKeyRates.ts"
export { sampledGroup } from "./destination/sampling.ts"
