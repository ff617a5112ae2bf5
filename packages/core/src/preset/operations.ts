import type { ChatRequest, MessagesRequest, ResponsesRequest } from "@gatewarden/contract/internal"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { workspaceOfCaller } from "../access/workspaceOfRequest.ts"
import { Presets } from "../ports/presets.ts"
import { operation } from "../tracing/operation.ts"
import type { PageRequest } from "../value/Page.ts"
import { invalid, notFound } from "../value/failure.ts"
import { type Translations, appendVersion, presetConfig, requireSlug } from "./preset.ts"
import { systemPrompt, textOf } from "./systemPrompt.ts"

/** From any form of request. Rule: presets#versions, presets#kept-fields. `sent` is the request, of which `content` is kept. */
export const createPreset = operation("createPreset")(function* (
  caller: Caller,
  slug: string,
  named: string | undefined,
  content: PresetContent,
  sent: object
) {
  yield* requireSlug(slug)
  // Refused, because presets do not keep this field and its searches would silently not happen.
  if ("web_search_options" in sent && sent.web_search_options !== null)
    return yield* invalid(
      "invalid_request",
      "web_search_options",
      "A preset does not keep it; send it with each request, or give the preset a tool or plugin that searches"
    )
  const workspace_id = yield* workspaceOfCaller(caller, named)
  return yield* appendVersion(caller, workspace_id, slug, content)
})

/** Rule: presets#place-of-a-preset. */
export const getPreset = operation("getPreset")(function* (caller: Caller, slug: string, named: string | undefined) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const found = yield* (yield* Presets).find(caller.account_id, workspace_id, slug)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: presets#listing-presets, presets#place-of-a-preset. */
export const listPresets = operation("listPresets")(function* (
  caller: Caller,
  { workspace_id: named, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  return yield* (yield* Presets).list(caller.account_id, workspace_id, page)
})

/** The content of a version. */
export interface PresetContent {
  readonly config: Record<string, unknown>
  readonly system_prompt: string
}

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const each =
  (translate: (item: JsonObject) => unknown) =>
  (value: unknown): unknown =>
    Array.isArray(value) ? value.map((item) => (isObject(item) ? translate(item) : item)) : value

const chosen =
  (translate: (choice: JsonObject) => unknown) =>
  (value: unknown): unknown =>
    isObject(value) ? translate(value) : value

const chosenFunction = (name: unknown) => ({ type: "function", function: { name } })

/** `custom`, or no type: what the client executes. Every other tool names its type. */
const messagesTool = (tool: JsonObject): unknown => {
  const { type, name, description, input_schema, ...more } = tool
  if (type !== undefined && type !== "custom") return tool
  return {
    ...more,
    type: "function",
    function: { name, ...(description === undefined ? {} : { description }), parameters: input_schema }
  }
}

const messagesChoices: Readonly<Record<string, string>> = { auto: "auto", any: "required", none: "none" }

const messagesChoice = (choice: JsonObject): unknown => {
  if (choice["type"] === "tool") return chosenFunction(choice["name"])
  const word = String(choice["type"])
  return Object.hasOwn(messagesChoices, word) ? messagesChoices[word] : choice
}

const responsesTool = (tool: JsonObject): unknown => {
  const { type, ...named } = tool
  return type === "function" && !isObject(named["function"]) ? { type, function: named } : tool
}

const responsesChoice = (choice: JsonObject): unknown =>
  choice["type"] === "function" && !isObject(choice["function"]) ? chosenFunction(choice["name"]) : choice

/** Messages know two tiers; the other one is what others call the default. */
const messagesTier = (tier: unknown): unknown => (tier === "standard_only" ? "default" : tier)

const fromMessages: Translations = {
  tools: each(messagesTool),
  tool_choice: chosen(messagesChoice),
  service_tier: messagesTier
}
const fromResponses: Translations = { tools: each(responsesTool), tool_choice: chosen(responsesChoice) }

/**
 * What a preset keeps of each form of request that it can be made of.
 *
 * Rule: presets#kept-fields, presets#system-prompt, presets#other-forms. Functions are kept in the form of a chat completion, so that a
 * preset merges with chat requests whatever it was made of: `mergePreset` tells functions apart by the name in that form.
 *
 * `sent`: the body before validation, since fields are kept as they were sent.
 */
export const presetForms = {
  chat: ({ messages }: Pick<ChatRequest, "messages">, sent: object): PresetContent => ({
    config: presetConfig(sent),
    system_prompt: systemPrompt(messages)
  }),
  messages: ({ system }: Pick<MessagesRequest, "system">, sent: object): PresetContent => ({
    config: presetConfig(sent, fromMessages),
    system_prompt: textOf(system)
  }),
  responses: ({ instructions }: Pick<ResponsesRequest, "instructions">, sent: object): PresetContent => ({
    config: presetConfig(sent, fromResponses),
    system_prompt: instructions ?? ""
  })
}
