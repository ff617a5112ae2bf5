/** The request that a call sends, made from the declaration of its operation. */
import { type OperationShape, requireOptions } from "@gatewarden/contract/internal"
import type { RequestHeaders } from "./CallInput.ts"

/** The input of any operation, as it is once types no longer say which. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly lines?: Iterable<unknown> | AsyncIterable<unknown>
  readonly file?: Blob
  readonly filename?: string
  readonly headers?: RequestHeaders
  readonly signal?: AbortSignal
  readonly key?: string | null
}

interface Content {
  readonly body: BodyInit
  readonly type?: string
}

/** The members of an operation's input. */
const membersOf = ({ params, query, body }: OperationShape): Readonly<Record<string, true>> => ({
  ...(params !== undefined && { params: true }),
  ...(query !== undefined && { query: true }),
  ...(body?.kind === "file" ? { file: true, filename: true } : body !== undefined && { body: true }),
  ...(body?.kind === "jsonOrLines" && { lines: true }),
  headers: true,
  signal: true,
  key: true
})

const pathOf = ({ id, path }: OperationShape, params: AnyInput["params"] = {}): string =>
  path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === null || value === "") throw new TypeError(`${id}: params.${name} is required`)
    return encodeURIComponent(String(value))
  })

/** What is `undefined` or `null` is not sent. */
const queryOf = (query: AnyInput["query"] = {}): string => {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()
  return text === "" ? "" : `?${text}`
}

const iterate = async function* (lines: Iterable<unknown> | AsyncIterable<unknown>) {
  yield* lines
}

/** One JSON value a line, made when the transport asks for more. */
const linesBody = (lines: Iterable<unknown> | AsyncIterable<unknown>): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const encoder = new TextEncoder()
  const iterator = iterate(lines)
  return new ReadableStream({
    pull: async (controller) => {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`))
    },
    cancel: async () => {
      await iterator.return(undefined)
    }
  })
}

const formOf = ({ id }: OperationShape, { file, filename }: AnyInput): FormData => {
  if (!(file instanceof Blob)) throw new TypeError(`${id}: file must be a Blob or a File`)
  const name = filename ?? (file instanceof File ? file.name : undefined)
  if (name === undefined) throw new TypeError(`${id}: filename is required, as the file is a Blob without a name`)
  const form = new FormData()
  form.set("file", file, name)
  return form
}

const contentOf = (operation: OperationShape, input: AnyInput): Content | undefined => {
  const { body } = operation
  if (body === undefined) return undefined
  switch (body.kind) {
    case "file":
      return { body: formOf(operation, input) }
    case "jsonOrLines":
      if (input.lines !== undefined) return { body: linesBody(input.lines), type: "application/x-ndjson" }
  }
  if (input.body === undefined) {
    if (body.kind === "json" && body.optional === true) return undefined
    throw new TypeError(`${operation.id}: body is required`)
  }
  return { body: JSON.stringify(input.body), type: "application/json" }
}

/** Throws a `TypeError` that names what is missing in the input, or unknown to the operation. */
export const requestOf = (base: string, operation: OperationShape, input: AnyInput): Request => {
  requireOptions<Record<string, unknown>>(operation.id, input, membersOf(operation))
  const headers = new Headers()
  for (const [name, value] of Object.entries(input.headers ?? {})) if (value !== undefined) headers.set(name, value)
  const { key, signal } = input
  if (key !== undefined && key !== null) headers.set("authorization", `Bearer ${key}`)
  const content = contentOf(operation, input)
  if (content?.type !== undefined) headers.set("content-type", content.type)
  return new Request(`${base}${pathOf(operation, input.params)}${queryOf(input.query)}`, {
    method: operation.method,
    headers,
    // A key is sent to no other address than the one that was named.
    redirect: "manual",
    ...(signal === undefined ? {} : { signal }),
    ...(content === undefined ? {} : { body: content.body }),
    ...(content?.body instanceof ReadableStream ? { duplex: "half" } : {})
  })
}
