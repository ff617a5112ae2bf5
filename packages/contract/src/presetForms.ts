/**
 * The other two forms of model requests that a preset can be made of: bodies of Messages and of Responses.
 *
 * Rule: presets#other-forms. Of the fields, those that a preset keeps and the instructions are checked; the others are ignored.
 */
import * as z from "zod"
import { chatSettings, refuseDifferingEfforts, typed } from "./chat.ts"
import { manyOf } from "./manyOf.ts"
import { json, operation, optionalJson } from "./operation.ts"
import { createPreset, Preset, presetParams, presetQuery } from "./preset.ts"
import { dataOf } from "./primitives.ts"

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() })

export const MessagesRequest = z
  .object({
    messages: manyOf(z.looseObject({ role: z.string(), content: z.union([z.string(), manyOf(typed)]) })).nullable(),
    system: z.union([z.string(), manyOf(textPart)]).optional(),
    ...chatSettings,
    model: z.string(),
    service_tier: z.enum([...chatSettings.service_tier.unwrap().unwrap().options, "standard_only"]).optional()
  })
  .superRefine(refuseDifferingEfforts)
  .meta({ id: "MessagesRequest" })
export type MessagesRequest = z.output<typeof MessagesRequest>

export const ResponsesRequest = z
  .object({
    instructions: z.string().nullish(),
    ...chatSettings,
    reasoning: chatSettings.reasoning.nullable()
  })
  .superRefine(refuseDifferingEfforts)
  .meta({ id: "ResponsesRequest" })
export type ResponsesRequest = z.output<typeof ResponsesRequest>

const { response } = createPreset.example

export const createPresetFromMessages = operation({
  id: "createPresetFromMessages",
  method: "POST",
  path: "/presets/:slug/messages",
  tag: "Presets",
  changes: { noun: "preset", action: "create" },
  summary: "Create or update a preset from a Messages request",
  description:
    "As from a chat completion request. The top-level `system` becomes `system_prompt`; functions are kept in the form of a chat completion.",
  access: "anyKey",
  workspaceOf: "named",
  ownWorkspaceOnly: true,
  params: presetParams,
  query: presetQuery,
  body: json(MessagesRequest),
  success: { schema: dataOf(Preset) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { slug: "support" },
    body: {
      model: "openai/gpt-5",
      temperature: 0.2,
      system: "Answer briefly.",
      messages: [{ role: "user", content: "How do I reset my password?" }]
    },
    response
  }
})

export const createPresetFromResponses = operation({
  id: "createPresetFromResponses",
  method: "POST",
  path: "/presets/:slug/responses",
  tag: "Presets",
  changes: { noun: "preset", action: "create" },
  summary: "Create or update a preset from a Responses request",
  description:
    "As from a chat completion request. `instructions` become `system_prompt`; functions are kept in the form of a chat completion.",
  access: "anyKey",
  workspaceOf: "named",
  ownWorkspaceOnly: true,
  params: presetParams,
  query: presetQuery,
  body: optionalJson(ResponsesRequest),
  success: { schema: dataOf(Preset) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { slug: "support" },
    body: {
      model: "openai/gpt-5",
      temperature: 0.2,
      instructions: "Answer briefly.",
      input: "How do I reset my password?"
    },
    response
  }
})
