/** The input of a handler: a caller and validated values. */
import type { Body, OperationShape, ParamsOf, QueryOf, Region } from "@gatewarden/contract"
import type { Effect } from "effect"
import type * as z from "zod"
import type { Caller } from "../access/Caller.ts"
import type { UploadedFile } from "../file/UploadedFile.ts"
import type { ValueOrLines } from "../usage/ValueOrLines.ts"
import type { WireProfile } from "./wireProfile.ts"

/** Data of the request beyond the declared input, for any operation. */
export interface RequestFacts {
  readonly id: string
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The region of the ingress that the request came through. */
  readonly region: Region
  /** What the `doc_url` of a reason begins with. */
  readonly docs: string
  /** The form that the client reads. */
  readonly profile: WireProfile
  /** The address below which the client finds the operations, without a slash at its end. */
  readonly address: Effect.Effect<string>
  /** Whether others cannot read the request on its way. */
  readonly isConfidential: Effect.Effect<boolean>
  /** Whether the instance serves the page that gives authorization codes. */
  readonly hasAuthPage: boolean
  /** Headers of the answer, to which an operation may add. */
  readonly answerHeaders: Record<string, string>
}

type BodyOf<B> = B extends { readonly kind: "json"; readonly schema: infer S extends z.ZodType }
  ? z.output<S>
  : B extends {
        readonly kind: "jsonOrLines"
        readonly schema: infer S extends z.ZodType
        readonly line: infer L extends z.ZodType
      }
    ? ValueOrLines<z.output<S>, z.output<L>>
    : B extends { readonly kind: "file" }
      ? UploadedFile
      : undefined

export interface Input<O extends OperationShape> {
  readonly caller: O["access"] extends "anyone" ? Caller | undefined : Caller
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  readonly body: O["body"] extends Body ? BodyOf<O["body"]> : undefined
  /** The JSON body as it was sent, for fields that are stored verbatim. */
  readonly sent: unknown
  readonly request: RequestFacts
}
