/**
 * The Promise API: an instance as a value that a host embeds. No Effect type is visible here.
 */
export {
  type Gatewarden,
  type GatewardenOptions,
  type NewAccount,
  type Platform,
  createGatewarden
} from "./instance/createGatewarden.ts"
export type { RestoredStream, RestoreOptions, Restorer } from "./filter/prompt/Restorer.ts"
export type { MailMessage, SendMail, SentMail } from "./alert/SendMail.ts"
export type { PresidioOptions } from "./filter/PresidioOptions.ts"
export type {
  AdmissionInProcess,
  AdmissionRequest,
  AskingKey,
  Enforcement,
  ExplanationRequest,
  GrantedAdmission,
  ReplayRequest,
  TokenUsage,
  UsageCost
} from "./decision/Enforcement.ts"
export type { BodyLimits, InFlightCap } from "./http/BodyLimits.ts"
export type { WireProfile } from "./http/wireProfile.ts"
export type { StorageLimits } from "./ports/storageQuotas.ts"
export { GatewardenRefusal } from "./hosting/GatewardenRefusal.ts"
export type { JobOutcome, JobReport } from "./background/JobReport.ts"
export type { RetentionSettings } from "./ports/retention.ts"
export { mergePreset } from "./preset/mergePreset.ts"
export type { AskHost, HostAnswer, HostCaller } from "./access/HostCaller.ts"
export type { HostLog, LogEntry } from "./hosting/LogEntry.ts"
export type {
  OpenTelemetry,
  OpenTelemetryContext,
  OpenTelemetrySpan,
  OpenTelemetrySpanContext,
  OpenTelemetryTracer
} from "./hosting/OpenTelemetry.ts"
export { memory } from "./memory/memory.ts"
export type { Store } from "./ports/StoreHandle.ts"
export { type NextHandlers, toNextHandlers } from "./instance/toNextHandlers.ts"
