import { OpenRouter } from "@openrouter/sdk"
import type { ChatResult, ChatStreamChunk } from "@openrouter/sdk/models"
import { type GatewayClient, modelName, mostTokens, question, readCall, weather } from "./GatewayClient.ts"

const asked = {
  model: modelName,
  maxTokens: mostTokens,
  messages: [{ role: "user" as const, content: question }]
}
const tools = [{ type: "function" as const, function: { ...weather } }]

type Chunks = AsyncIterable<ChatStreamChunk>

/** It tries again what it is told to; how long it waits is said by the server, else by this. */
const backoff = {
  strategy: "backoff" as const,
  backoff: { initialInterval: 500, maxInterval: 5_000, exponent: 1.5, maxElapsedTime: 30_000 },
  retryConnectionErrors: false
}

export const openrouterClient: GatewayClient = {
  name: "@openrouter/sdk",
  api: "/chat/completions",
  cost: "usage.cost",
  streamedCost: "usage.cost",
  streamedTokens: "usage.completionTokens",
  status: "statusCode",
  connect: ({ baseUrl, key, retries }) => {
    const client = new OpenRouter({ serverURL: baseUrl, apiKey: key })
    const options = retries
      ? { retries: backoff, retryCodes: ["429", "5XX"] }
      : { retries: { strategy: "none" as const } }
    const send = (more: object = {}) => client.chat.send({ chatRequest: { ...asked, ...more, stream: false } }, options)
    const stream = (more: object = {}, init: object = {}) =>
      client.chat.send({ chatRequest: { ...asked, ...more, stream: true } }, { ...options, ...init })
    return {
      complete: async () => {
        const found = (await send()) as ChatResult
        const content = found.choices[0]?.message.content
        return { text: typeof content === "string" ? content : "", found }
      },
      stream: async ({ signal, onText } = {}) => {
        const events = (await stream({}, signal === undefined ? {} : { fetchOptions: { signal } })) as Chunks
        let text = ""
        let found: unknown
        for await (const event of events) {
          const said = event.choices[0]?.delta.content ?? ""
          text += said
          if (said !== "") onText?.()
          found = event
          if (event.error !== undefined) return { text, found, broken: "`error` of a chunk" }
        }
        return { text, found }
      },
      call: async () => {
        const { choices } = (await send({ tools })) as ChatResult
        const called = choices[0]?.message.toolCalls?.[0]
        return readCall(called?.function.name, called?.function.arguments ?? "{}")
      },
      streamedCall: async () => {
        let name = ""
        let written = ""
        for await (const event of (await stream({ tools })) as Chunks)
          for (const { function: called } of event.choices[0]?.delta.toolCalls ?? []) {
            name += called?.name ?? ""
            written += called?.arguments ?? ""
          }
        return readCall(name, written)
      }
    }
  }
}
