import { reasons } from "@gatewarden/contract"

/** What a client is answered: whole, or as server-sent events while they come. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or what writes the events of a stream. */
  readonly body: string | ((listener: Listener) => Promise<void>)
}

/** Whoever listens to a stream. */
export interface Listener {
  /** Resolves when more may be sent; what is sent to nobody is dropped. */
  readonly send: (text: string) => Promise<void> | undefined
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

/** The management API explains its reasons on pages below its base path; `path` is that of the answer. */
const withDocUrls = (path: string, metadata: Metadata): Metadata => {
  const { reason, availability } = metadata
  if (typeof reason !== "string" || !Object.hasOwn(reasons, reason)) return metadata
  const doc_url = `${"../".repeat(path.split("/").length - 2)}errors/${reason}`
  if (typeof availability !== "object") return { ...metadata, doc_url }
  return { ...metadata, doc_url, availability: { ...availability, docs_url: doc_url } }
}

/** An error as callers of an OpenAI-compatible API read it, in the envelope of the management API. `path`: below the base path. */
export const errorOf = (path: string, status: number, message: string, metadata: Metadata): Metadata => {
  const told = withDocUrls(path, metadata)
  // The public API has it beside the metadata.
  const { availability } = told
  return { code: status, message, availability, metadata: told }
}

/** Makes the errors of a path. */
export const refusalOf =
  (path: string) =>
  (
    status: number,
    message: string,
    metadata: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>
  ): Answer =>
    answerJson(status, { error: errorOf(path, status, message, metadata) }, headers)
