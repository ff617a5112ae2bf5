/**
 * The other two forms of model requests that a preset can be made of: bodies of Messages and of Responses.
 *
 * Rule: presets#other-forms. Of the fields, those that a preset keeps and the instructions are checked; the others are ignored.
 */
import * as z from "zod"
import { chatSettings, refuseDifferingEfforts, typed } from "./chat.ts"
import { manyOf } from "./manyOf.ts"
import { operation } from "./operation.ts"
import { createPreset, Preset, presetBody, presetParams, presetQuery } from "./preset.ts"
import { dataOf } from "./primitives.ts"

const textPart = z.looseObject({
  type: z.literal("text").describe("Always `text`: the kind of the part."),
  text: z.string().describe("Text of the part.")
})

export const MessagesRequest = z
  .object({
    messages: manyOf(
      z.looseObject({
        role: z.string().describe("Role of the author of the message."),
        content: z.union([z.string(), manyOf(typed)]).describe("Content of the message, as a text or as parts.")
      })
    )
      .nullable()
      .describe("Messages of the request. Presets do not keep them."),
    system: z
      .union([z.string(), manyOf(textPart)])
      .optional()
      .describe("System prompt, as a text or as parts of text. It becomes `system_prompt` of the preset."),
    ...chatSettings,
    model: z.string().describe("Model of the request, kept in the preset."),
    service_tier: z
      .enum([...chatSettings.service_tier.unwrap().unwrap().options, "standard_only"])
      .optional()
      .describe("Service tier. `standard_only` is kept as `default`.")
  })
  .superRefine(refuseDifferingEfforts)
  .meta({
    id: "MessagesRequest",
    description: "A Messages request. A preset keeps its settings and its system prompt."
  })
export type MessagesRequest = z.output<typeof MessagesRequest>

export const ResponsesRequest = z
  .object({
    instructions: z.string().nullish().describe("System prompt. It becomes `system_prompt` of the preset."),
    ...chatSettings,
    reasoning: chatSettings.reasoning.nullable().describe("Settings for reasoning. `null`: none.")
  })
  .superRefine(refuseDifferingEfforts)
  .meta({
    id: "ResponsesRequest",
    description: "A Responses request. A preset keeps its settings and its instructions."
  })
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
  body: presetBody(MessagesRequest),
  success: { schema: dataOf(Preset), long: "entity" },
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
  body: { ...presetBody(ResponsesRequest), optional: true as const },
  success: { schema: dataOf(Preset), long: "entity" },
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
