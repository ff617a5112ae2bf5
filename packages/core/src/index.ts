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
export type { MailMessage, SendMail, SentMail } from "./alert/mail.ts"
export type { PresidioOptions } from "./filter/presidioDetector.ts"
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
export type { BodyLimits, InFlightCap } from "./http/BytesInFlight.ts"
export type { WireProfile } from "./http/wireProfile.ts"
export type { StorageLimits } from "./ports/limits.ts"
export { GatewardenRefusal } from "./hosting/GatewardenRefusal.ts"
export type { JobOutcome, JobReport } from "./background/backgroundTable.ts"
export type { RetentionSettings } from "./ports/changes.ts"
export { mergePreset } from "./preset/mergePreset.ts"
export type { AskHost, HostAnswer, HostCaller } from "./access/callerOfHost.ts"
export type { HostLog, LogEntry } from "./hosting/hostLogger.ts"
export type {
  OpenTelemetry,
  OpenTelemetryContext,
  OpenTelemetrySpan,
  OpenTelemetrySpanContext,
  OpenTelemetryTracer
} from "./hosting/hostTracing.ts"
export { memory } from "./memory/memory.ts"
export type { Store } from "./ports/StoreHandle.ts"
export { type NextHandlers, toNextHandlers } from "./instance/toNextHandlers.ts"
