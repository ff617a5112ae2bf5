import type { SentUsageEvent } from "@gatewarden/contract"

/** A report without the bodies, which are never stored. */
export type ReportedEvent = Omit<SentUsageEvent, "input" | "output">
