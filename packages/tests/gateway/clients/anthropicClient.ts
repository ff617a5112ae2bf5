import Anthropic from "@anthropic-ai/sdk"
import { type GatewayClient, modelName, mostTokens, question, weather } from "./GatewayClient.ts"

const asked = { model: modelName, max_tokens: mostTokens, messages: [{ role: "user" as const, content: question }] }
const { parameters, ...named } = weather
const tools = [{ ...named, input_schema: { ...parameters, required: [...parameters.required] } }]

const calledIn = ({ content }: Pick<Anthropic.Message, "content">) => {
  const called = content.find((block) => block.type === "tool_use")
  return { name: called?.name ?? "", city: (called?.input as { readonly city?: unknown } | undefined)?.city }
}

export const anthropicClient: GatewayClient = {
  name: "@anthropic-ai/sdk",
  api: "/messages",
  cost: "usage.cost",
  streamedCost: "usage.cost",
  streamedTokens: "usage.output_tokens",
  status: "status",
  connect: ({ baseUrl, key, retries }) => {
    const client = new Anthropic({
      baseURL: baseUrl.replace(/\/v1$/, ""),
      apiKey: key,
      ...(retries ? {} : { maxRetries: 0 })
    })
    return {
      complete: async () => {
        const found = await client.messages.create(asked)
        const [block] = found.content
        return { text: block?.type === "text" ? block.text : "", found }
      },
      stream: async ({ signal, onText } = {}) => {
        const events = client.messages.stream(asked, signal === undefined ? {} : { signal })
        let text = ""
        let found: unknown
        for await (const event of events) {
          if (event.type === "message_delta") found = event
          if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") continue
          text += event.delta.text
          onText?.()
        }
        return { text, found }
      },
      call: async () => calledIn(await client.messages.create({ ...asked, tools })),
      streamedCall: async () => calledIn(await client.messages.stream({ ...asked, tools }).finalMessage())
    }
  }
}
