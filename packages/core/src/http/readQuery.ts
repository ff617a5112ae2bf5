/**
 * The query string of a target as a flat record of the parameters that an operation knows.
 *
 * Rule: requests#unknown-fields. A known parameter that is given twice, or contains U+0000, is 400. Unknown ones are 400 if the operation
 * is Gatewarden's own, and are ignored otherwise.
 */
import {
  type Body,
  type Issue,
  type OperationShape,
  type ParamsOf,
  type QueryOf,
  type Region,
  maxIssues,
  nearestName
} from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type * as z from "zod"
import type { Caller } from "../access/Caller.ts"
import type { UploadedFile } from "../file/file.ts"
import type { ValueOrLines } from "../usage/recordUsageEvents.ts"
import { BadRequest } from "../value/failure.ts"
import { issuePath } from "../value/issues.ts"
import type { WireProfile } from "./wireProfile.ts"

export const readQuery = (
  search: string,
  schema: z.ZodObject | undefined,
  unknown: "ignored" | "refused" = "ignored"
): Effect.Effect<Record<string, string>, BadRequest> => {
  const known: Record<string, string> = {}
  if (search === "" || (schema === undefined && unknown === "ignored")) return Effect.succeed(known)
  const shape = schema?.shape ?? {}
  const issues: Issue[] = []
  for (const [name, value] of new URLSearchParams(search)) {
    if (issues.length >= maxIssues) break
    if (!Object.hasOwn(shape, name)) {
      if (unknown === "refused") issues.push(unknownParameter(name, Object.keys(shape)))
      continue
    }
    if (Object.hasOwn(known, name))
      issues.push({ path: `query.${name}`, code: "repeated", message: "Given more than once" })
    if (value.includes("\0")) issues.push({ path: `query.${name}`, code: "nul_character", message: "Contains U+0000" })
    known[name] = value
  }
  return issues.length === 0
    ? Effect.succeed(known)
    : Effect.fail(new BadRequest({ reason: "invalid_request", issues }))
}

/** What a misspelt name looks like. Anything else may be a value, which is not repeated. */
const likeName = /^[A-Za-z_]{1,40}$/

const unknownParameter = (name: string, known: readonly string[]): Issue => {
  const isName = likeName.test(name)
  const meant = isName ? nearestName(name, known) : undefined
  const hint =
    meant !== undefined
      ? `did you mean ${meant}?`
      : known.length === 0
        ? "this operation takes none"
        : `this operation takes ${known.join(", ")}`
  return {
    path: `query.${isName ? issuePath([name]) : "*"}`,
    code: "unknown_parameter",
    message: `Unknown parameter; ${hint}`
  }
}

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

/** The input of a handler: a caller and validated values. */
export interface Input<O extends OperationShape> {
  readonly caller: O["access"] extends "anyone" ? Caller | undefined : Caller
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  readonly body: O["body"] extends Body ? BodyOf<O["body"]> : undefined
  /** The JSON body as it was sent, for fields that are stored verbatim. */
  readonly sent: unknown
  readonly request: RequestFacts
}
