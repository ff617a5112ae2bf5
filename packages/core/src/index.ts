/**
 * The Promise API: an instance as a value that a host embeds. No Effect type is visible here.
 */
export {
  createGatewarden,
  type Gatewarden,
  type GatewardenOptions,
  type NewAccount
} from "./instance/createGatewarden.ts"
export type { RestoredStream, RestoreOptions, Restorer } from "./filter/prompt/Restorer.ts"
export type { MailMessage, SendMail, SentMail } from "./alert/SendMail.ts"
export type { PresidioOptions } from "./filter/detectors/PresidioOptions.ts"
export type * from "./decision/Enforcement.ts"
export type { BodyLimits, InFlightCap } from "./http/BodyLimits.ts"
export type { WireProfile } from "./http/wireProfile.ts"
export type { StorageLimits } from "./ports/limits.ts"
export { GatewardenRefusal } from "./hosting/GatewardenRefusal.ts"
export type { JobOutcome, JobReport } from "./background/JobReport.ts"
export type { RetentionSettings } from "./ports/changes.ts"
export { mergePreset } from "./preset/mergePreset.ts"
export type { AskHost, HostAnswer, HostCaller } from "./access/HostCaller.ts"
export type { HostLog, LogEntry } from "./hosting/LogEntry.ts"
export type * from "./hosting/OpenTelemetry.ts"
export { memory } from "./memory/memory.ts"
export type { Platform } from "./instance/Platform.ts"
export type { Store } from "./ports/StoreHandle.ts"
export { type NextHandlers, toNextHandlers } from "./instance/toNextHandlers.ts"
