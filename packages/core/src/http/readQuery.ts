/**
 * The query string of a target as a flat record of the parameters that an operation knows.
 *
 * Rule: requests#unknown-fields. Unknown parameters are ignored; a known one given twice, or one with U+0000, is 400.
 */
import { Effect } from "effect"
import type * as z from "zod"
import { BadRequest } from "../failure.ts"

export const readQuery = (
  search: string,
  schema: z.ZodObject | undefined
): Effect.Effect<Record<string, string>, BadRequest> => {
  const known: Record<string, string> = {}
  if (schema === undefined || search === "") return Effect.succeed(known)
  const issues = []
  for (const [name, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(schema.shape, name)) continue
    if (Object.hasOwn(known, name))
      issues.push({ path: `query.${name}`, code: "repeated", message: "Given more than once" })
    if (value.includes("\0")) issues.push({ path: `query.${name}`, code: "nul_character", message: "Contains U+0000" })
    known[name] = value
  }
  return issues.length === 0
    ? Effect.succeed(known)
    : Effect.fail(new BadRequest({ reason: "invalid_request", issues }))
}
