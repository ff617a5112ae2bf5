import type { DeliveredEvent, IncludedMetadata } from "./Renderer.ts"
import type { Message, OutputMessage } from "./messages.ts"
import type { SpanIds } from "./spanIds.ts"
import type { TraceKeys } from "./traceKeys.ts"

/** What of a request did not fit into a request to the platform. */
export type LeftOut = "nothing" | "bodies" | "metadata"

/** A request as it is read once, for the attributes of the conventions and of the platforms. */
export interface RequestSpan {
  readonly delivered: DeliveredEvent
  readonly include: IncludedMetadata
  readonly keys: TraceKeys
  readonly ids: SpanIds
  readonly leftOut: LeftOut
  /** As it was asked for, with its variant. */
  readonly model: string
  readonly operation: "chat" | "text_completion" | "embeddings"
  /** Milliseconds since 1970. */
  readonly start: number
  readonly durationMillis: number
  readonly input: readonly Message[] | undefined
  readonly output: readonly OutputMessage[] | undefined
}
