/** What a client asks, read strictly: the key, the fields that are decided on, and those that an upstream is sent. */
import { ChatRequest, errorMessages } from "@gatewarden/contract"
import { issuesOf } from "@gatewarden/core/effect"
import { type Answer, refusal } from "./Answer.ts"

/** A request as it arrived. */
export interface Asking {
  readonly authorization: string | undefined
  readonly body: string
  /** Told to the client, and what it can be found by. */
  readonly request_id: string
  /** Aborted when the client is gone. */
  readonly left: AbortSignal
}

export interface Chat {
  readonly api_key: string
  readonly chat: ChatRequest
  readonly preset: string | undefined
  /** What an upstream would be sent beside the messages. All of it is decided on first, so that nothing is bought that was not granted. */
  readonly forwarded: Readonly<Record<string, unknown>>
}

/** For the gateway and not for providers, or written by the gateway itself. */
const kept: readonly string[] = [
  "messages",
  "model",
  "models",
  "provider",
  "route",
  "session_id",
  "debug",
  "trace",
  "metadata",
  "user",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens"
] satisfies (keyof ChatRequest)[]

/** Beyond the request of the public API: what OpenAI's has. */
const alsoKnown = ["n", "functions", "function_call", "prediction", "verbosity", "web_search_options"]

const sentOn: ReadonlySet<string> = new Set(
  [...Object.keys(ChatRequest.shape), ...alsoKnown].filter((name) => !kept.includes(name))
)

/** A field that is `null` says nothing. */
export const forwardedFields = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => sentOn.has(name) && value != null))

const bearer = /^Bearer +(\S+)$/i

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An `Answer` is what to say instead. */
export const readChat = ({ authorization, body, request_id }: Asking): Chat | Answer => {
  const [, api_key] = bearer.exec(authorization ?? "") ?? []
  if (api_key === undefined)
    return refusal(401, errorMessages[401], {
      request_id,
      reason: "missing_authentication",
      issues: [
        {
          path: "header.authorization",
          code: "missing_authentication",
          message: "Expected one header `Authorization: Bearer <key>`"
        }
      ]
    })
  const sent = parsed(body)
  const read = ChatRequest.safeParse(sent)
  if (!read.success) return refusal(400, errorMessages[400], { request_id, ...issuesOf(ChatRequest, read.error, sent) })
  const fields = sent as Readonly<Record<string, unknown>>
  const { preset } = fields
  return {
    api_key,
    chat: read.data,
    preset: typeof preset === "string" ? preset : undefined,
    forwarded: forwardedFields(fields)
  }
}
