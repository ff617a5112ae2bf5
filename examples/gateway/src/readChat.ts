/** What a client asks, read strictly: the key, the fields that are decided on, and those that an upstream is sent. */
import { ChatRequest, errorMessages } from "@gatewarden/contract"
import { refusal } from "./refusal.ts"

export interface Chat {
  readonly api_key: string
  readonly chat: ChatRequest
  readonly preset: string | undefined
  /** Only these reach an upstream, so that nothing is bought that was not granted, such as a second choice (`n`). */
  readonly forwarded: Readonly<Record<string, unknown>>
}

/** For the gateway and not for providers, written by the gateway itself, or a price that the catalog does not know. */
const kept = new Set<string>([
  "messages",
  "model",
  "models",
  "provider",
  "preset",
  "route",
  "plugins",
  "stop_server_tools_when",
  "session_id",
  "service_tier",
  "debug",
  "trace",
  "metadata",
  "user",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens"
] satisfies (keyof ChatRequest | "preset")[])

export const forwardedFields = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !kept.has(name) && value !== undefined))

const bearer = /^Bearer +(\S+)$/i

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A `Response` is what to answer instead. */
export const readChat = async (request: Request): Promise<Chat | Response> => {
  const [, api_key] = bearer.exec(request.headers.get("authorization") ?? "") ?? []
  if (api_key === undefined) return refusal(401, errorMessages[401])
  const body = parsed(await request.text())
  const read = ChatRequest.safeParse(body)
  if (!read.success) {
    const issues = read.error.issues.map(({ path, code, message }) => ({ path: path.join("."), code, message }))
    return refusal(400, errorMessages[400], { reason: "invalid_request", issues })
  }
  const { preset } = body as { readonly preset?: unknown }
  return {
    api_key,
    chat: read.data,
    preset: typeof preset === "string" ? preset : undefined,
    forwarded: forwardedFields(read.data)
  }
}
