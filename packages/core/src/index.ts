/**
 * The Promise API: an instance as a value that a host embeds. No Effect type is visible here.
 */
export { createGatewarden, type Gatewarden, type GatewardenOptions, type NewAccount } from "./createGatewarden.ts"
export type { RestoredStream, RestoreOptions, Restorer } from "./filter/Restorer.ts"
export type { PresidioOptions } from "./filter/PresidioOptions.ts"
export type * from "./decision/Enforcement.ts"
export type { BodyLimits, InFlightCap } from "./http/BodyLimits.ts"
export { GatewardenRefusal } from "./GatewardenRefusal.ts"
export type { JobOutcome, JobReport } from "./stream/JobReport.ts"
export type { RetentionSettings } from "./stream/retained.ts"
export { mergePreset } from "./preset/mergePreset.ts"
export type { HostAnswer, HostCaller } from "./hosting/HostCaller.ts"
export type { HostLog, LogEntry } from "./hosting/LogEntry.ts"
export type * from "./hosting/OpenTelemetry.ts"
export { memory } from "./memory/memory.ts"
export type { Platform } from "./Platform.ts"
export type { Store } from "./StoreHandle.ts"
export { type NextHandlers, toNextHandlers } from "./toNextHandlers.ts"
