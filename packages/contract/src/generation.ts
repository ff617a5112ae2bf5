/**
 * One recorded request, in the fields of the public API.
 *
 * Rule: usage#generations.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { dataOf, Region, text, timestamp } from "./primitives.ts"

/** Ids of usage events and of generations. */
export const generationId = text(1, 128)

const count = z.number().nullable()
const millis = z.number().nullable()
const flag = z.boolean().nullable()
const name = z.string().nullable()

export const FeedbackCategory = z.enum([
  "latency",
  "incoherence",
  "incorrect_response",
  "formatting",
  "billing",
  "api_error",
  "other"
])
export type FeedbackCategory = z.output<typeof FeedbackCategory>

/** What somebody said of a generation. */
export const GenerationFeedback = z
  .object({ category: FeedbackCategory, comment: z.string().nullable(), given_at: timestamp })
  .meta({ id: "GenerationFeedback" })
export type GenerationFeedback = z.output<typeof GenerationFeedback>

/** `null` where a usage event has no such field, or had none when it was recorded. */
export const Generation = z
  .object({
    api_type: name,
    app_id: count,
    cache_discount: z.number().nullable(),
    cancelled: z.boolean(),
    created_at: timestamp,
    /** `global` where the event names none. */
    data_region: Region,
    external_user: name,
    /** Not in the public API: the feedback that was given last, while it is kept. */
    feedback: GenerationFeedback.nullable(),
    finish_reason: name,
    generation_time: millis,
    http_referer: name,
    id: z.string(),
    is_byok: z.boolean(),
    /** Time to the first token. */
    latency: millis,
    /** Canonical slug with variant. */
    model: z.string(),
    moderation_latency: millis,
    native_finish_reason: name,
    native_tokens_cached: z.number(),
    native_tokens_completion: z.number(),
    native_tokens_completion_images: count,
    native_tokens_prompt: z.number(),
    native_tokens_reasoning: z.number(),
    num_fetches: count,
    num_input_audio_prompt: count,
    num_media_completion: count,
    num_media_prompt: count,
    num_search_results: count,
    /** `""` where the event names none. */
    origin: z.string(),
    preset_id: name,
    provider_name: z.string(),
    provider_responses: z.array(z.object({ status: z.number().nullable() })).nullable(),
    request_id: name,
    response_cache_source_id: name,
    router: name,
    service_tier: name,
    session_id: name,
    streamed: flag,
    tokens_completion: z.number(),
    tokens_prompt: z.number(),
    /** `cost_usd` and `byok_cost_usd` of the event. */
    total_cost: z.number(),
    upstream_id: name,
    /** The component `usage_upstream`; without it, of a BYOK request, `byok_cost_usd`. */
    upstream_inference_cost: z.number().nullable(),
    /** `cost_usd` of the event. */
    usage: z.number(),
    user_agent: name,
    web_search_engine: name,
    workspace_id: z.string()
  })
  .meta({ id: "Generation" })
export type Generation = z.output<typeof Generation>

export const getGeneration = operation({
  id: "getGeneration",
  method: "GET",
  path: "/generation",
  tag: "Analytics",
  changes: "nothing",
  summary: "One recorded request",
  description:
    "The usage event with this id. A management key finds the events of its account, an API key those of its workspace; any other id is 404.",
  access: "anyKey",
  workspaceOf: "reached",
  query: z.object({ id: generationId }),
  success: { schema: dataOf(Generation) },
  errors: [400, 401, 403, 404, 500],
  example: {
    query: { id: "gen-01" },
    response: {
      data: {
        api_type: null,
        app_id: null,
        cache_discount: null,
        cancelled: false,
        created_at: "2026-03-01T12:00:00.250Z",
        data_region: "global",
        external_user: null,
        feedback: null,
        finish_reason: "stop",
        generation_time: 3900,
        http_referer: null,
        id: "gen-01",
        is_byok: false,
        latency: 412,
        model: "acme/sonnet:free",
        moderation_latency: null,
        native_finish_reason: null,
        native_tokens_cached: 0,
        native_tokens_completion: 340,
        native_tokens_completion_images: null,
        native_tokens_prompt: 1200,
        native_tokens_reasoning: 0,
        num_fetches: null,
        num_input_audio_prompt: null,
        num_media_completion: null,
        num_media_prompt: null,
        num_search_results: null,
        origin: "",
        preset_id: null,
        provider_name: "acme",
        provider_responses: null,
        request_id: null,
        response_cache_source_id: null,
        router: null,
        service_tier: null,
        session_id: null,
        streamed: null,
        tokens_completion: 340,
        tokens_prompt: 1200,
        total_cost: 0.0087,
        upstream_id: null,
        upstream_inference_cost: null,
        usage: 0.0087,
        user_agent: null,
        web_search_engine: null,
        workspace_id: "4f2f9c1e-1b7a-4d3e-9f6a-2f0c7d9a1b55"
      }
    }
  }
})

export const SubmitGenerationFeedback = z
  .object({
    generation_id: generationId,
    category: FeedbackCategory,
    comment: text(0, 4_000).nullish()
  })
  .meta({ id: "SubmitGenerationFeedback" })
export type SubmitGenerationFeedback = z.output<typeof SubmitGenerationFeedback>

export const submitGenerationFeedback = operation({
  id: "submitGenerationFeedback",
  method: "POST",
  path: "/generation/feedback",
  tag: "Analytics",
  changes: "usage",
  summary: "Say what was wrong with a recorded request",
  description:
    "Keeps a category and a comment for a usage event of the account, and replaces those that were given before. `GET /generation` shows them.",
  access: "managementKey",
  workspaceOf: "reached",
  body: json(SubmitGenerationFeedback),
  success: { schema: dataOf(z.object({ success: z.literal(true) })) },
  errors: [400, 401, 403, 404, 500],
  example: {
    body: { generation_id: "gen-01", category: "incorrect_response", comment: "The total is wrong." },
    response: { data: { success: true } }
  }
})
