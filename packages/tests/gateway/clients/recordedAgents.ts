/** Coding agents, as their documentation and sources say that they ask (`recorded`). Each asks for a stream, and reads its events. */
import { readFileSync } from "node:fs"
import type { ConnectOptions, GatewayClient, Said, ToolCalled } from "./GatewayClient.ts"
import { readCall } from "./GatewayClient.ts"

export interface Recorded {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

export const recorded = (name: string): Recorded =>
  JSON.parse(readFileSync(new URL(`../recorded/${name}.json`, import.meta.url), "utf8")) as Recorded

interface Event {
  readonly type: string
  readonly name?: string
  readonly delta?: string | { readonly text?: string; readonly partial_json?: string }
  readonly content_block?: { readonly name?: string }
  readonly item?: { readonly type: string; readonly name?: string; readonly arguments?: string }
}

/** What an agent reads of a stream. */
interface Reading extends Said {
  readonly called: ToolCalled
}

const textIn = ({ type, delta }: Event): string => {
  if (type === "response.output_text.delta" && typeof delta === "string") return delta
  return type === "content_block_delta" && typeof delta === "object" ? (delta.text ?? "") : ""
}

/** Events as they come, each in a line of data. */
async function* eventsOf(answer: Response): AsyncGenerator<Event> {
  let rest = ""
  const decoder = new TextDecoder()
  for await (const bytes of answer.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length)) as Event
  }
}

const read = async (answer: Response, onText: () => void = () => {}): Promise<Reading> => {
  let [text, name, json] = ["", "", ""]
  let found: unknown
  let broken: string | undefined
  for await (const event of eventsOf(answer)) {
    const said = textIn(event)
    text += said
    if (said !== "") onText()
    name = event.content_block?.name ?? name
    if (typeof event.delta === "object") json += event.delta.partial_json ?? ""
    if (event.type === "response.output_item.done" && event.item?.type === "function_call") {
      name = event.item.name ?? ""
      json = event.item.arguments ?? ""
    }
    if (event.type === "error") broken = "an event of type `error`"
    if (event.type === "message_delta" || event.type === "response.completed") found = event
  }
  return { text, found, broken, called: readCall(name, json === "" ? "{}" : json) }
}

const ask = async (
  { path, headers, body }: Recorded,
  { baseUrl, key }: ConnectOptions,
  signal: AbortSignal | undefined
) => {
  const answer = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal })
  })
  if (answer.ok) return answer
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } }
  throw Object.assign(new Error(error.message), {
    status: answer.status,
    retryAfter: answer.headers.get("retry-after")
  })
}

const agent = (
  name: string,
  file: string,
  fields: Pick<GatewayClient, "api" | "streamedCost" | "streamedTokens">
): GatewayClient => {
  const asked = recorded(file)
  const [, version = ""] = /\/(\d[\d.]*)/.exec(asked.headers["user-agent"] ?? "") ?? []
  return {
    ...fields,
    name,
    recorded: version,
    cost: fields.streamedCost,
    status: "status",
    connect: (options) => {
      const stream = async (signal?: AbortSignal, onText?: () => void) =>
        read(await ask(asked, options, signal), onText)
      const call = async () => (await stream()).called
      return {
        complete: () => stream(),
        stream: ({ signal, onText } = {}) => stream(signal, onText),
        call,
        streamedCall: call
      }
    }
  }
}

export const claudeCode = agent("Claude Code", "claudeCode", {
  api: "/messages",
  streamedTokens: "usage.output_tokens",
  streamedCost: "usage.cost"
})

export const codex = agent("Codex", "codex", {
  api: "/responses",
  streamedTokens: "response.usage.output_tokens",
  streamedCost: "response.usage.cost"
})
