import type { SentUsageEvent } from "@gatewarden/contract"

/** A report. Its bodies are never part of the recorded event: they wait, encrypted, for the destinations that receive them, or are dropped. */
export type ReportedEvent = SentUsageEvent
