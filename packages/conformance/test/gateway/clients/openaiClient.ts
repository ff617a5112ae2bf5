import OpenAI from "openai"
import { type GatewayClient, modelName, mostTokens, question, readCall, weather } from "./GatewayClient.ts"

const asked = {
  model: modelName,
  max_tokens: mostTokens,
  messages: [{ role: "user" as const, content: question }]
}
const tools = [{ type: "function" as const, function: { ...weather } }]

export const openaiClient: GatewayClient = {
  name: "openai",
  cost: "usage.cost",
  streamedCost: "usage.cost",
  streamedTokens: "usage.completion_tokens",
  status: "status",
  connect: ({ baseUrl, key, retries }) => {
    const client = new OpenAI({ baseURL: baseUrl, apiKey: key, ...(retries ? {} : { maxRetries: 0 }) })
    return {
      complete: async () => {
        const found = await client.chat.completions.create(asked)
        return { text: found.choices[0]?.message.content ?? "", found }
      },
      stream: async ({ signal, onText } = {}) => {
        const chunks = await client.chat.completions.create(
          { ...asked, stream: true, stream_options: { include_usage: true } },
          { signal: signal ?? null }
        )
        let text = ""
        let found: unknown
        for await (const chunk of chunks) {
          const said = chunk.choices[0]?.delta.content ?? ""
          text += said
          if (said !== "") onText?.()
          found = chunk
        }
        return { text, found }
      },
      call: async () => {
        const { choices } = await client.chat.completions.create({ ...asked, tools })
        const called = choices[0]?.message.tool_calls?.[0]
        return called?.type === "function"
          ? readCall(called.function.name, called.function.arguments)
          : readCall(undefined, "{}")
      },
      streamedCall: async () => {
        const { choices } = await client.chat.completions.stream({ ...asked, tools }).finalChatCompletion()
        const called = choices[0]?.message.tool_calls?.[0]
        return called?.type === "function"
          ? readCall(called.function.name, called.function.arguments)
          : readCall(undefined, "{}")
      }
    }
  }
}
