/** Providers that answer `POST /<provider>/chat/completions`, and other paths, on this machine, as they are told to. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface ChatCall {
  readonly provider: string
  /** Below the provider's base URL. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** What stood in `Authorization`. */
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
  /** Resolves when the caller is gone before the answer was complete. */
  readonly left: Promise<void>
}

/** Answers one call. */
export type ChatScript = (call: ChatCall, response: ServerResponse) => unknown

export interface ChatUpstream {
  readonly baseUrl: (provider: string) => string
  /** How a provider answers from now on; until then it is down: 503. */
  readonly plays: (provider: string, script: ChatScript) => void
  /** In the order of their arrival. */
  readonly calls: () => readonly ChatCall[]
  readonly reset: () => void
  readonly close: () => Promise<void>
}

export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number }
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number }
}

export const json = (response: ServerResponse, status: number, value: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}

export const fails =
  (status: number, message = "scripted"): ChatScript =>
  (_, response) =>
    json(response, status, { error: { message } })

/** Closes the connection without a word. */
export const hangsUp: ChatScript = (_, response) => void response.destroy()

export const completes =
  (content: string, usage?: ChatUsage): ChatScript =>
  ({ body }, response) =>
    json(response, 200, {
      id: "cmpl-1",
      object: "chat.completion",
      model: body["model"],
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      ...(usage === undefined ? {} : { usage })
    })

export const sendEvent = (response: ServerResponse, value: object | string): void =>
  void response.write(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`)

export const startStream = (response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "text/event-stream" })

export const delta = (content: string, finish_reason: string | null = null) => ({
  id: "cmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content }, finish_reason }]
})

export const streams =
  (pieces: readonly string[], usage?: ChatUsage): ChatScript =>
  (_, response) => {
    startStream(response)
    for (const [at, piece] of pieces.entries())
      sendEvent(response, delta(piece, at === pieces.length - 1 ? "stop" : null))
    if (usage !== undefined) sendEvent(response, { id: "cmpl-1", object: "chat.completion.chunk", choices: [], usage })
    sendEvent(response, "[DONE]")
    response.end()
  }

const readBody = async (request: IncomingMessage): Promise<ChatCall["body"]> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += piece
  return JSON.parse(text) as ChatCall["body"]
}

export const startChatUpstream = async (): Promise<ChatUpstream> => {
  let scripts = new Map<string, ChatScript>()
  let calls: ChatCall[] = []
  const server = createServer(async (request, response) => {
    const [, provider = "", ...path] = (request.url ?? "").split("/")
    const left = new Promise<void>((resolve) =>
      response.once("close", () => {
        if (!response.writableFinished) resolve()
      })
    )
    const { headers } = request
    const { authorization } = headers
    const call = { provider, path: `/${path.join("/")}`, headers, authorization, body: await readBody(request), left }
    calls.push(call)
    await (scripts.get(provider) ?? fails(503))(call, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: (provider) => `http://127.0.0.1:${port}/${provider}`,
    plays: (provider, script) => void scripts.set(provider, script),
    calls: () => calls,
    reset: () => {
      scripts = new Map()
      calls = []
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
