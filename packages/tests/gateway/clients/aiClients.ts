import { createOpenAI } from "@ai-sdk/openai"
import { createOpenRouter } from "@openrouter/ai-sdk-provider"
import { embedMany, generateText, jsonSchema, type LanguageModel, streamText, tool, type ToolSet } from "ai"
import {
  type AnyClient,
  type Connection,
  type GatewayClient,
  modelName,
  mostTokens,
  question,
  type ToolCalled,
  weather as weatherTool
} from "./GatewayClient.ts"

// The package's own types do not hold under `exactOptionalPropertyTypes`.
const tools = {
  weather: tool({
    description: weatherTool.description,
    inputSchema: jsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"]
    })
  })
} as unknown as ToolSet

const calledIn = ([called]: readonly { readonly toolName: string; readonly input: unknown }[]): ToolCalled => ({
  name: called?.toolName ?? "",
  city: (called?.input as { readonly city?: unknown } | undefined)?.city
})

const connection = (model: LanguageModel, retries: boolean): Connection => {
  const asked = {
    model,
    prompt: question,
    maxOutputTokens: mostTokens,
    ...(retries ? {} : { maxRetries: 0 })
  }
  return {
    complete: async () => {
      const found = await generateText(asked)
      return { text: found.text, found }
    },
    stream: async ({ signal, onText } = {}) => {
      let refused: unknown
      let text = ""
      const streamed = streamText({
        ...asked,
        ...(signal === undefined ? {} : { abortSignal: signal }),
        onError: ({ error }) => void (refused = error)
      })
      for await (const said of streamed.textStream) {
        text += said
        onText?.()
      }
      if (refused instanceof Error) throw refused
      if (refused !== undefined) return { text, found: refused, broken: "a part of type `error`" }
      if (signal?.aborted === true) throw signal.reason
      const found = { usage: await streamed.usage, providerMetadata: await streamed.providerMetadata }
      // The chat model of `@ai-sdk/openai` has no other word for it.
      const broken = (await streamed.rawFinishReason) === "error" ? '`rawFinishReason` "error"' : undefined
      return { text, found, broken }
    },
    call: async () => calledIn((await generateText({ ...asked, tools })).toolCalls),
    streamedCall: async () => calledIn(await streamText({ ...asked, tools }).toolCalls)
  }
}

export const aiOpenrouter: GatewayClient = {
  name: "ai, @openrouter/ai-sdk-provider",
  api: "/chat/completions",
  cost: "providerMetadata.openrouter.usage.cost",
  streamedCost: "providerMetadata.openrouter.usage.cost",
  streamedTokens: "usage.outputTokens",
  status: "statusCode",
  connect: ({ baseUrl, key, retries }) =>
    connection(createOpenRouter({ baseURL: baseUrl, apiKey: key }).chat(modelName), retries)
}

export const aiOpenai: GatewayClient = {
  name: "ai, @ai-sdk/openai",
  api: "/responses",
  cost: "response.body.usage.cost",
  streamedCost: "",
  streamedTokens: "usage.outputTokens",
  status: "statusCode",
  connect: ({ baseUrl, key, retries }) =>
    connection(createOpenAI({ baseURL: baseUrl, apiKey: key })(modelName), retries)
}

export const aiOpenaiChat: GatewayClient = {
  ...aiOpenai,
  api: "/chat/completions",
  connect: ({ baseUrl, key, retries }) =>
    connection(createOpenAI({ baseURL: baseUrl, apiKey: key }).chat(modelName), retries)
}

export const aiEmbeddings: AnyClient = {
  name: "ai, @ai-sdk/openai",
  api: "/embeddings",
  cost: "responses.0.body.usage.cost",
  status: "statusCode",
  connect: ({ baseUrl, key, retries }) => ({
    complete: async () => {
      const found = await embedMany({
        model: createOpenAI({ baseURL: baseUrl, apiKey: key }).embeddingModel(modelName),
        values: [question],
        ...(retries ? {} : { maxRetries: 0 })
      })
      return { text: JSON.stringify(found.embeddings[0]), found }
    }
  })
}
