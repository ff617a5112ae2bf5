/**
 * The query string of a target as a flat record of the parameters that an operation knows.
 *
 * Rule: requests#unknown-fields. A known parameter that is given twice, or contains U+0000, is 400. Unknown ones are 400 if the operation
 * is Gatewarden's own, and are ignored otherwise.
 */
import { type Issue, maxIssues, nearestName } from "@gatewarden/contract"
import { Effect } from "effect"
import type * as z from "zod"
import { BadRequest } from "../value/failure.ts"
import { issuePath } from "../value/issuePath.ts"

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
