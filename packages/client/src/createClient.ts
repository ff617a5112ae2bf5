/** A client as a value: one method for each operation of the table, over any `fetch`. */
import {
  type Operation,
  type OperationId,
  type OperationOf,
  type OperationShape,
  operations,
  requireOptions,
  type SuccessOf
} from "@gatewarden/contract/internal"
import type { CallArguments, Reply, RequestHeaders } from "./CallInput.ts"
import { GatewardenError } from "./GatewardenError.ts"
import { type AnyInput, requestOf } from "./requestOf.ts"

/** What a client needs: a `fetch`, a `baseUrl`, or both. */
export interface ClientOptions {
  /** `gatewarden.fetch` for an instance in this process. Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Where the operations live, `http://127.0.0.1:8787/api/v1` for one. Required unless `fetch` is an instance's. */
  readonly baseUrl?: string | URL
  /** The key that is sent as `Authorization: Bearer`, or a function that gives it, asked for each request. */
  readonly key?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  /** Headers of every request, cookies of a host that vouches for its users among them. */
  readonly headers?: RequestHeaders
}

/** One method for each operation, named by its id. It resolves to the body of the response as the server sent it. */
export type Methods = {
  readonly [Id in OperationId]: (...input: CallArguments<OperationOf<Id>>) => Promise<SuccessOf<OperationOf<Id>>>
}

/** A client: a method for each operation, and `call`. */
export interface Client extends Methods {
  /**
   * Calls an operation and resolves to status, headers and body, where a method resolves to the body alone: for `ETag`, `RateLimit` or paging.
   *
   * @param operation the operation's id
   * @param input what the method of that name takes
   * @returns `status`, `headers` and `body`; 304 has no body
   * @throws GatewardenError for a response that is no success; TypeError for input of which no request can be made
   * @example
   * const { status, headers, body } = await client.call("getRankingsDaily", { headers: { "If-None-Match": etag } })
   */
  readonly call: <Id extends OperationId>(
    operation: Id,
    ...input: CallArguments<OperationOf<Id>>
  ) => Promise<Reply<OperationOf<Id>>>
}

/** An instance takes paths without its base path, wherever that is. */
const inProcess = "http://localhost"

const baseOf = ({ baseUrl, fetch }: ClientOptions): string => {
  if (baseUrl === undefined) {
    if (fetch === undefined)
      throw new TypeError("createClient: expected fetch (of an instance) or baseUrl (of a server), or both")
    return inProcess
  }
  const text = String(baseUrl)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text) || /[?#]/.test(text))
    throw new TypeError("createClient: baseUrl must be an http or https URL without query, such as http://host/api/v1")
  return text.replace(/\/+$/, "")
}

const checked = (options: ClientOptions): ClientOptions => {
  requireOptions<ClientOptions>("createClient", options, { fetch: true, baseUrl: true, key: true, headers: true })
  const { fetch, key, headers } = options
  if (fetch !== undefined && typeof fetch !== "function")
    throw new TypeError("createClient: fetch must be a function, such as gatewarden.fetch")
  if (key !== undefined && typeof key !== "string" && typeof key !== "function")
    throw new TypeError("createClient: key must be text, or a function that gives it")
  if (headers !== undefined && (typeof headers !== "object" || headers === null))
    throw new TypeError("createClient: headers must be an object of texts by name")
  return options
}

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.id, operation]))

/**
 * Makes a typed client of the API, of a server or of an instance in this process. Nothing is sent before the first call; a client has nothing
 * to close.
 *
 * @param options see [ClientOptions](#clientoptions)
 * @returns a client, with [one method for each operation](#methods-of-a-client)
 * @throws TypeError that names the invalid option. A method rejects with a `GatewardenError` for a response that is no success, with a `TypeError`
 * for input of which no request can be made, and with what `fetch` rejects with.
 * @example
 * const client = createClient({ fetch: gatewarden.fetch, key: gatewarden.generatedKey })
 * const { data } = await client.createGuardrail({ body: { name: "Production" } })
 */
export const createClient = (options: ClientOptions): Client => {
  const { fetch: given, key, headers } = checked(options)
  const base = baseOf(options)
  const send = given ?? ((request: Request) => fetch(request))

  const call = async (id: string, input: AnyInput = {}) => {
    const operation = byId.get(id)
    if (operation === undefined) throw new TypeError(`call: no operation is called ${String(id)}`)
    const bearer = input.key === undefined ? await (typeof key === "function" ? key() : key) : input.key
    const request = requestOf(base, operation, {
      ...input,
      key: bearer ?? null,
      headers: { ...headers, ...input.headers }
    })
    const { signal } = input
    signal?.throwIfAborted()
    const response = await send(request)
    // An instance in this process answers 503 where a socket would have been closed.
    signal?.throwIfAborted()
    if (response.status === 304) return { status: 304, headers: response.headers, body: undefined }
    if (!response.ok) throw await GatewardenError.of(id, request.url, response)
    const { success }: OperationShape = operation
    if (response.status === 204) return { status: 204, headers: response.headers, body: undefined }
    const body = success.bytes === true ? (response.body ?? new Blob().stream()) : await response.json()
    return { status: response.status, headers: response.headers, body }
  }

  const methods = operations.map(({ id }) => [
    id,
    async (input?: AnyInput) => {
      const { status, body } = await call(id, input)
      if (status === 304)
        throw new TypeError(`${id}: the answer is not modified; use call("${id}", …) with If-None-Match`)
      return body
    }
  ])
  // The table made both the methods and their types.
  return { ...Object.fromEntries(methods), call } as Client
}
