/** What a call is given and what it answers, derived from the declaration of its operation. */
import type { OperationShape, SuccessOf } from "@gatewarden/contract/internal"
import type * as z from "zod"

/** Headers of a request by name; `undefined` sends none. */
export interface RequestHeaders {
  /** Repeating a request with the same key answers what the first was answered. 1 to 255 visible ASCII characters. */
  readonly "Idempotency-Key"?: string | undefined
  /** The `ETag` of an earlier answer: `call` answers 304 without a body while it is still the same. */
  readonly "If-None-Match"?: string | undefined
  readonly [name: string]: string | undefined
}

/** What every call may be given beside the input of its operation. */
export interface CallOptions {
  /** Sent with this request, over those of the client. */
  readonly headers?: RequestHeaders
  /** Aborts the request; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Used in place of the client's key; `null` sends no key. */
  readonly key?: string | null
}

/** A query parameter may be given as the text that is sent, or as the value that the server reads from it. */
type QueryInput<Sent, Read> = {
  readonly [Name in keyof Sent]:
    | Sent[Name]
    | (Name extends keyof Read ? Exclude<Read[Name], null | undefined> : never)
    | (undefined extends Sent[Name] ? undefined : never)
}

type ParamsInput<O extends OperationShape> = O["params"] extends z.ZodObject
  ? { readonly params: z.input<O["params"]> }
  : {}

type QueryOption<O extends OperationShape> = O["query"] extends z.ZodObject
  ? {} extends z.input<O["query"]>
    ? { readonly query?: QueryInput<z.input<O["query"]>, z.output<O["query"]>> }
    : { readonly query: QueryInput<z.input<O["query"]>, z.output<O["query"]>> }
  : {}

type BodyInput<B> = B extends { readonly kind: "json"; readonly schema: infer S extends z.ZodType }
  ? B extends { readonly optional: true }
    ? { readonly body?: z.input<S> }
    : { readonly body: z.input<S> }
  : B extends {
        readonly kind: "jsonOrLines"
        readonly schema: infer S extends z.ZodType
        readonly line: infer L extends z.ZodType
      }
    ?
        | { readonly body: z.input<S>; readonly lines?: never }
        /** Sent as NDJSON while they are read, in any number. */
        | { readonly lines: Iterable<z.input<L>> | AsyncIterable<z.input<L>>; readonly body?: never }
    : B extends { readonly kind: "file" }
      ? {
          readonly file: Blob
          /** Required unless `file` is a `File`, which has a name. */
          readonly filename?: string
        }
      : {}

/** The whole input of an operation: `params`, `query`, and `body`, `lines` or `file`, as far as it has them. */
export type CallInput<O extends OperationShape> = ParamsInput<O> & QueryOption<O> & BodyInput<O["body"]> & CallOptions

/** An input that may be left out where nothing of it is required. */
export type CallArguments<O extends OperationShape> =
  {} extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>]

/** A successful response: its body as the server sent it, with status and headers. */
export type Reply<O extends OperationShape> =
  | { readonly status: 200 | 201 | 202 | 204; readonly headers: Headers; readonly body: SuccessOf<O> }
  | (O["success"] extends { readonly etag: true }
      ? { readonly status: 304; readonly headers: Headers; readonly body: undefined }
      : never)
