import { reasons } from "@gatewarden/contract"

/** What a client is answered: whole, or as server-sent events while they come. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or what writes it in parts: the events of a stream, or a long list. */
  readonly body: string | ((listener: Listener) => Promise<void>)
}

/** Whoever listens to an answer that comes in parts. */
export interface Listener {
  /** Resolves when more may be sent; what is sent to nobody is dropped. */
  readonly send: (part: string | Uint8Array) => Promise<void> | undefined
  /** Ends the connection: half a content is not taken for a whole one. */
  readonly cut: () => void
  /** Aborted when nobody listens any more. */
  readonly left: AbortSignal
}

const json = { "content-type": "application/json" }

export const answerJson = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify(value)
})

type Metadata = Readonly<Record<string, unknown>>

interface Envelope {
  readonly error?: { readonly availability?: object; readonly metadata?: Metadata & { readonly availability?: object } }
}

/** The same with the address that explains its reason, if it is one of the management API. `docs`: what such an address begins with. */
export const explained = (answer: Answer, docs: string): Answer => {
  if (answer.status < 400 || typeof answer.body !== "string") return answer
  const value = JSON.parse(answer.body) as Envelope
  const { error } = value
  const reason = error?.metadata?.["reason"]
  if (typeof reason !== "string" || !Object.hasOwn(reasons, reason)) return answer
  const doc_url = docs + reason
  const said = error?.metadata?.availability
  // The public API has it beside the metadata.
  const available = said === undefined ? {} : { availability: { ...said, docs_url: doc_url } }
  const metadata = { ...error?.metadata, doc_url, ...available }
  return { ...answer, body: JSON.stringify({ ...value, error: { ...error, ...available, metadata } }) }
}

/** An error as callers of an OpenAI-compatible API read it, in the envelope of the management API. */
export const refusal = (
  status: number,
  message: string,
  metadata: Metadata,
  headers?: Readonly<Record<string, string>>
): Answer => answerJson(status, { error: { code: status, message, metadata } }, headers)
