import OpenAI from "openai"
import {
  type AnyClient,
  type ConnectOptions,
  type GatewayClient,
  modelName,
  mostTokens,
  question,
  readCall,
  weather
} from "./GatewayClient.ts"

const asked = {
  model: modelName,
  max_tokens: mostTokens,
  messages: [{ role: "user" as const, content: question }]
}
const tools = [{ type: "function" as const, function: { ...weather } }]

const clientOf = ({ baseUrl, key, retries }: ConnectOptions) =>
  new OpenAI({ baseURL: baseUrl, apiKey: key, ...(retries ? {} : { maxRetries: 0 }) })

export const openaiChat: GatewayClient = {
  name: "openai",
  api: "/chat/completions",
  cost: "usage.cost",
  streamedCost: "usage.cost",
  streamedTokens: "usage.completion_tokens",
  status: "status",
  connect: (options) => {
    const client = clientOf(options)
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

const askedResponse = { model: modelName, max_output_tokens: mostTokens, input: question }
const responseTools = [{ type: "function" as const, ...weather, strict: false }]

const calledIn = ({ output }: Pick<OpenAI.Responses.Response, "output">) => {
  const called = output.find((item) => item.type === "function_call")
  return readCall(called?.name, called?.arguments ?? "{}")
}

export const openaiResponses: GatewayClient = {
  name: "openai",
  api: "/responses",
  cost: "usage.cost",
  streamedCost: "usage.cost",
  streamedTokens: "usage.output_tokens",
  status: "status",
  connect: (options) => {
    const client = clientOf(options)
    return {
      complete: async () => {
        const found = await client.responses.create(askedResponse)
        return { text: found.output_text, found }
      },
      stream: async ({ signal, onText } = {}) => {
        const events = await client.responses.create({ ...askedResponse, stream: true }, { signal: signal ?? null })
        let text = ""
        let found: unknown
        for await (const event of events) {
          if (event.type === "response.completed") found = event.response
          if (event.type !== "response.output_text.delta") continue
          text += event.delta
          onText?.()
        }
        return { text, found }
      },
      call: async () => calledIn(await client.responses.create({ ...askedResponse, tools: responseTools })),
      streamedCall: async () =>
        calledIn(await client.responses.stream({ ...askedResponse, tools: responseTools }).finalResponse())
    }
  }
}

export const openaiEmbeddings: AnyClient = {
  name: "openai",
  api: "/embeddings",
  cost: "usage.cost",
  status: "status",
  connect: (options) => ({
    complete: async () => {
      const found = await clientOf(options).embeddings.create({ model: modelName, input: question })
      return { text: JSON.stringify(found.data[0]?.embedding), found }
    }
  })
}
