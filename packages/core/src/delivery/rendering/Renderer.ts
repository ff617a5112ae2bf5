/**
 * Renders recorded usage into the requests that a platform accepts: one pure file for each destination type.
 *
 * Rule: observability#delivery.
 */
import type { Destination } from "@gatewarden/contract"
import type { Effect, Redacted } from "effect"
import type { UsageEvent } from "../../ports/usage.ts"

/** The real config of a type, with its secrets. */
export type ConfigOf<Type extends Destination["type"]> = Extract<Destination, { type: Type }>["config"]

/** What one destination receives of one request. Selection, privacy and sampling happened before. */
export interface DeliveredEvent {
  readonly account_id: string
  readonly event: UsageEvent
  readonly api_key_name: string | null
  /** The bodies, without multimodal content; `undefined` where the report had none or the destination receives none. */
  readonly input: unknown
  readonly output: unknown
}

/** Which groups of metadata the destination includes (`broadcast_generation_*`). */
export interface IncludedMetadata {
  readonly cost: boolean
  readonly identity: boolean
  readonly request_context: boolean
}

/** One HTTP request to the platform. */
export interface RenderedRequest {
  readonly method: "POST" | "PUT"
  readonly url: string
  /** Holds credentials. Names are in lower case. Custom `headers` of the config are merged in by the sender. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly body: Uint8Array
  /** The ids of the events that the request carries: they are delivered when the platform accepts it. */
  readonly events: readonly string[]
  /** How many spans these are, where the platform counts spans. */
  readonly spans?: number
}

/**
 * What the answer of a platform says about the events of a request. A message is in words of Gatewarden: platforms repeat what they cannot
 * read, prompts included, so their text is never part of it.
 */
export type DeliveryVerdict =
  /** `rejected`: parts that the platform left out without naming them. */
  | { readonly kind: "accepted"; readonly rejected?: number; readonly message?: string }
  /** The platform took the others: these ids are refused for good. */
  | { readonly kind: "partly"; readonly refused: readonly string[]; readonly message: string }
  /** Sending the same again would be refused again. */
  | { readonly kind: "refused"; readonly message: string }
  /** The request is too large for the platform: smaller ones may pass. */
  | { readonly kind: "too_large" }
  | { readonly kind: "retry"; readonly message: string }

/** `body` is the answer as text, `answer` its bytes, both cut off at a bound. */
export type Judge = (status: number, body: string, request: RenderedRequest, answer: Uint8Array) => DeliveryVerdict

export interface Renderer<Type extends Destination["type"]> {
  readonly type: Type
  /** What one request may hold by the platform's published limits. */
  readonly limits: { readonly events: number; readonly bytes: number }
  /** Requests in the order in which they are sent; none carries more than the limits. */
  readonly render: (
    config: ConfigOf<Type>,
    events: readonly DeliveredEvent[],
    include: IncludedMetadata,
    now: number
  ) => Effect.Effect<readonly RenderedRequest[]>
  /** Why the platform would drop an event without a word, as a code and a sentence. Such an event becomes a dead letter and is not sent. */
  readonly refusal?: ((delivered: Pick<DeliveredEvent, "event">, now: number) => string | undefined) | undefined
  /** The request that tests the connection: it writes nothing that a user would take for a real event. */
  readonly probe: (config: ConfigOf<Type>, now: number) => Effect.Effect<RenderedRequest>
  /** Judges an answer whose status alone does not tell. Default: 2xx accepted, 413 too large, 408, 425, 429, 401, 403, 404 and 5xx retry, other 4xx refused. */
  readonly judge?: Judge
}
