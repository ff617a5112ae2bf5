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

export const GenerationFeedback = z
  .object({
    category: FeedbackCategory.describe("Kind of problem that was reported."),
    comment: z.string().nullable().describe("Comment in the words of its author. `null`: none."),
    given_at: timestamp.describe("Time of the feedback, in UTC.")
  })
  .meta({ id: "GenerationFeedback", description: "Feedback on a generation." })
export type GenerationFeedback = z.output<typeof GenerationFeedback>

export const Generation = z
  .object({
    api_type: name.describe("Kind of API of the request. Always `null`: usage events do not record it."),
    app_id: count.describe("Number of the app. Always `null`: usage events do not record it."),
    cache_discount: z
      .number()
      .nullable()
      .describe("USD saved by the cache. Always `null`: usage events do not record it."),
    cancelled: z.boolean().describe("Whether the client cancelled the request: `status` of the event is `cancelled`."),
    created_at: timestamp.describe("Time when the request began, in UTC."),
    data_region: Region.describe("Region in which the request was processed. `global`: the event names none."),
    external_user: name.describe("Your name for the end user. `null`: none."),
    feedback: GenerationFeedback.nullable().describe(
      "Feedback that was given last, while it is kept. `null`: none. The public API has no such field."
    ),
    finish_reason: name.describe("Reason why the completion ended. `null`: not reported."),
    generation_time: millis.describe("Milliseconds from the first token to the last. `null`: not reported."),
    http_referer: name.describe("Referrer of the request. Always `null`: usage events do not record it."),
    id: z.string().describe("Id of the usage event."),
    is_byok: z.boolean().describe("Whether the request used the account's own credential."),
    latency: millis.describe("Milliseconds to the first token. `null`: not reported."),
    model: z.string().describe("Canonical slug of the model, with its variant."),
    moderation_latency: millis.describe("Milliseconds of moderation. Always `null`: usage events do not record it."),
    native_finish_reason: name.describe(
      "The provider's own reason why the completion ended. Always `null`: usage events do not record it."
    ),
    native_tokens_cached: z.number().describe("Prompt tokens read from a cache, as the provider counts them."),
    native_tokens_completion: z
      .number()
      .describe("Completion tokens as the provider counts them, including reasoning."),
    native_tokens_completion_images: count.describe(
      "Tokens of generated images. Always `null`: usage events do not record it."
    ),
    native_tokens_prompt: z.number().describe("Prompt tokens as the provider counts them."),
    native_tokens_reasoning: z.number().describe("Reasoning tokens as the provider counts them."),
    num_fetches: count.describe("Number of fetched pages. Always `null`: usage events do not record it."),
    num_input_audio_prompt: count.describe(
      "Number of audio inputs in the prompt. Always `null`: usage events do not record it."
    ),
    num_media_completion: count.describe(
      "Number of media in the completion. Always `null`: usage events do not record it."
    ),
    num_media_prompt: count.describe("Number of media in the prompt. Always `null`: usage events do not record it."),
    num_search_results: count.describe(
      "Number of results of web searches. Always `null`: usage events do not record it."
    ),
    origin: z.string().describe('Origin of the app that sent the request. `""`: the event names none.'),
    preset_id: name.describe("Id of the preset. Always `null`: usage events do not record it."),
    provider_name: z.string().describe("Provider that served the request."),
    provider_responses: z
      .array(z.object({ status: z.number().nullable().describe("HTTP status of the answer.") }))
      .nullable()
      .describe("Answers of the providers that were tried. Always `null`: usage events do not record it."),
    request_id: name.describe("Id of the request. Always `null`: usage events do not record it."),
    response_cache_source_id: name.describe(
      "Id of the generation whose answer the cache repeated. Always `null`: usage events do not record it."
    ),
    router: name.describe("Router that chose the model. Always `null`: usage events do not record it."),
    service_tier: name.describe("Service tier of the request. Always `null`: usage events do not record it."),
    session_id: name.describe("Id of the session of the request. `null`: none."),
    streamed: flag.describe("Whether the answer was streamed. Always `null`: usage events do not record it."),
    tokens_completion: z
      .number()
      .describe("Completion tokens, including reasoning. The same count as `native_tokens_completion`."),
    tokens_prompt: z.number().describe("Prompt tokens. The same count as `native_tokens_prompt`."),
    total_cost: z
      .number()
      .describe("Cost of the request in USD: `cost_usd` and `byok_cost_usd` of the event together."),
    upstream_id: name.describe(
      "The provider's own id of the generation. Always `null`: usage events do not record it."
    ),
    upstream_inference_cost: z
      .number()
      .nullable()
      .describe(
        "USD that the provider charged: the cost component `usage_upstream`, or `byok_cost_usd` of a BYOK request without it. `null`: not known."
      ),
    usage: z.number().describe("Cost of the request in USD: `cost_usd` of the event."),
    user_agent: name.describe("User agent of the client. Always `null`: usage events do not record it."),
    web_search_engine: name.describe("Engine of web searches. Always `null`: usage events do not record it."),
    workspace_id: z.string().describe("Id of the workspace of the request.")
  })
  .meta({
    id: "Generation",
    description:
      "A recorded request in the form of the public API. A field is `null` if the usage event has no such value."
  })
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
  query: z.object({ id: generationId.describe("Id of the usage event.") }),
  success: { schema: dataOf(Generation) },
  errors: [400, 401, 403, 404, 500],
  example: {
    query: { id: "gen-1772366400-9pXcVbQ2tRm7LsWy0KzD" },
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
        id: "gen-1772366400-9pXcVbQ2tRm7LsWy0KzD",
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
        workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
      }
    }
  }
})

export const SubmitGenerationFeedback = z
  .object({
    generation_id: generationId.describe("Id of the usage event that the feedback is about."),
    category: FeedbackCategory.describe("Kind of problem to report."),
    comment: text(0, 4_000).nullish().describe("Comment in your own words, at most 4,000 characters.")
  })
  .meta({
    id: "SubmitGenerationFeedback",
    description: "Feedback to store. It replaces earlier feedback on the same usage event."
  })
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
  success: {
    schema: dataOf(
      z
        .object({ success: z.literal(true).describe("Always `true`: the feedback is stored.") })
        .describe("Confirmation of the feedback.")
    )
  },
  errors: [400, 401, 403, 404, 500],
  example: {
    body: {
      generation_id: "gen-1772366400-9pXcVbQ2tRm7LsWy0KzD",
      category: "incorrect_response",
      comment: "The total is wrong."
    },
    response: { data: { success: true } }
  }
})
