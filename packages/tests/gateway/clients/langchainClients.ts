import type { AIMessageChunk } from "@langchain/core/messages"
import { ChatOpenAI } from "@langchain/openai"
import { ChatOpenRouter } from "@langchain/openrouter"
import {
  type Connection,
  type ConnectOptions,
  type GatewayClient,
  modelName,
  mostTokens,
  question,
  type ToolCalled,
  weather
} from "./GatewayClient.ts"

const tools = [{ type: "function", function: { ...weather } }]

type Model = Pick<ChatOpenAI | ChatOpenRouter, "invoke" | "stream" | "bindTools">

const calledIn = ({ tool_calls: [called] = [] }: Pick<AIMessageChunk, "tool_calls">): ToolCalled => ({
  name: called?.name ?? "",
  city: called?.args["city"]
})

const gather = async (chunks: AsyncIterable<AIMessageChunk>, onText?: () => void) => {
  let all: AIMessageChunk | undefined
  for await (const chunk of chunks) {
    if (chunk.text !== "") onText?.()
    all = all === undefined ? chunk : all.concat(chunk)
  }
  return all
}

const connection = (model: Model): Connection => ({
  complete: async () => {
    const found = await model.invoke(question)
    return { text: found.text, found }
  },
  stream: async ({ signal, onText } = {}) => {
    const found = await gather(await model.stream(question, signal === undefined ? {} : { signal }), onText)
    const reason: unknown = found?.response_metadata["finish_reason"]
    return {
      text: found?.text ?? "",
      found,
      broken: reason === "error" ? '`response_metadata.finish_reason` "error"' : undefined
    }
  },
  call: async () => calledIn(await model.bindTools(tools).invoke(question)),
  streamedCall: async () => calledIn((await gather(await model.bindTools(tools).stream(question))) ?? {})
})

export const langchainOpenai: GatewayClient = {
  name: "@langchain/openai",
  api: "/chat/completions",
  cost: "",
  streamedCost: "response_metadata.usage.cost",
  streamedTokens: "usage_metadata.output_tokens",
  status: "status",
  connect: ({ baseUrl, key, retries }: ConnectOptions) =>
    connection(
      new ChatOpenAI({
        model: modelName,
        maxTokens: mostTokens,
        apiKey: key,
        configuration: { baseURL: baseUrl },
        ...(retries ? {} : { maxRetries: 0 })
      })
    )
}

export const langchainOpenrouter: GatewayClient = {
  name: "@langchain/openrouter",
  api: "/chat/completions",
  cost: "response_metadata.tokenUsage.cost",
  streamedCost: "response_metadata.usage.cost",
  streamedTokens: "usage_metadata.output_tokens",
  status: "statusCode",
  connect: ({ baseUrl, key, retries }: ConnectOptions) =>
    connection(
      new ChatOpenRouter({
        model: modelName,
        maxTokens: mostTokens,
        apiKey: key,
        baseURL: baseUrl,
        ...(retries ? {} : { maxRetries: 0 })
      })
    )
}
