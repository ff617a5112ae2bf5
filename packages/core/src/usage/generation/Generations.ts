/** Finds one recorded request by its id, and keeps what is said of it. */
import type { GenerationFeedback } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { UsageEvent } from "../UsageEvent.ts"

export interface RecordedGeneration extends Pick<
  UsageEvent,
  | "id"
  | "created_at"
  | "workspace_id"
  | "model"
  | "variant"
  | "provider"
  | "external_user"
  | "origin"
  | "session_id"
  | "data_region"
  | "status"
  | "finish_reason"
  | "byok"
  | "prompt_tokens"
  | "completion_tokens"
  | "reasoning_tokens"
  | "cached_tokens"
  | "cost_nanos"
  | "byok_cost_nanos"
  | "latency_ms"
  | "generation_ms"
> {
  /** The cost component of that name. */
  readonly usage_upstream_nanos: bigint | null
  /** Until retention removes it. */
  readonly feedback: GenerationFeedback | null
}

/** Input and output that a workspace keeps. */
export interface KeptContent {
  readonly workspace_id: string
  readonly sealed_bodies: Uint8Array
}

export class Generations extends Context.Service<
  Generations,
  {
    /** The cost does not depend on how many events there are. */
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<RecordedGeneration>>
    /** Replaces the feedback that was given before. False, and nothing was kept, if the account has no such event. */
    readonly keepFeedback: (account_id: string, id: string, feedback: GenerationFeedback) => Effect.Effect<boolean>
    /** What is kept of an event's bodies, until retention removes it; none of a workspace that was deleted. They are written with the event (`UsageLog`). */
    readonly findContent: (account_id: string, id: string) => Effect.Effect<Option.Option<KeptContent>>
  }
>()("gatewarden/Generations") {}
