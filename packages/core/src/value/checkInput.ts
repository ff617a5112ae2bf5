/**
 * Validates input with the contract's schemas and turns zod's errors into issues that never repeat a value.
 *
 * Rule: errors#issue-paths.
 */
import { type ErrorStatus, type Issue, maxIssues, type ReasonOf, reasons } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type * as z from "zod"
import { BadRequest } from "./failure.ts"
import { issueMessage, issuePath } from "./issues.ts"
import { suggestFields } from "./suggestFields.ts"

const rows: Readonly<Record<string, { readonly statuses: readonly ErrorStatus[] }>> = reasons
const invalidInput: ReadonlySet<unknown> = new Set(
  Object.keys(rows).filter((reason) => rows[reason]?.statuses.includes(400))
)

/** The compiler does not see which reason a schema names in the parameters of an issue. */
const isReason = (value: unknown): value is ReasonOf<400> => invalidInput.has(value)

/** The path of an issue in a union is relative to the union's path. */
const within = (place: readonly PropertyKey[], issue: z.core.$ZodIssue): z.core.$ZodIssue => ({
  ...issue,
  path: [...place, ...issue.path]
})

const codeOf = (issue: z.core.$ZodIssue): string => {
  const code: unknown = issue.code === "custom" ? issue.params?.["code"] : issue.code
  return typeof code === "string" ? code : issue.code
}

/** Alternatives for values of another type give no issues. */
const isForOtherType = (issues: readonly z.core.$ZodIssue[]): boolean =>
  issues.some(
    (issue) =>
      issue.path.length === 0 &&
      (issue.code === "invalid_union" ? issue.errors.every(isForOtherType) : codeOf(issue) === "invalid_type")
  )

/** The first issues; for a union, those of the alternative that fits the value best. */
const flattened = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] =>
  issues
    .slice(0, maxIssues)
    .flatMap((issue) => {
      if (issue.code !== "invalid_union") return [issue]
      const [meant, other] = issue.errors.filter((alternative) => !isForOtherType(alternative))
      return meant !== undefined && other === undefined
        ? flattened(meant).map((inner) => within(issue.path, inner))
        : [issue]
    })
    .slice(0, maxIssues)

/** The issues of a failed parse of `sent` with a schema; `prefix` is `query.`, `path.` or empty. */
export const issuesOf = (
  schema: z.ZodType,
  error: z.ZodError,
  sent: unknown,
  prefix = ""
): { readonly reason: ReasonOf<400>; readonly issues: readonly Issue[] } => {
  let reason: ReasonOf<400> = "invalid_request"
  const meantBy = suggestFields(schema, sent)
  const issues = flattened(error.issues).map((issue): Issue => {
    const named: unknown = issue.code === "custom" ? issue.params?.["reason"] : undefined
    if (isReason(named)) reason = named
    // An issue of the whole value has only the prefix as its path.
    const path = issue.path.length === 0 ? prefix.replace(/\.$/, "") : prefix + issuePath(issue.path)
    return { path, code: codeOf(issue), message: issueMessage(issue, sent, meantBy) }
  })
  return { reason, issues }
}

/** Sorted by path, because lists are validated concurrently. */
const byPlace = (one: z.core.$ZodIssue, other: z.core.$ZodIssue): number => {
  for (const [depth, a] of one.path.entries()) {
    const b = other.path[depth]
    if (a === b) continue
    if (b === undefined) return 1
    if (typeof a === "number" && typeof b === "number") return a - b
    return String(a) < String(b) ? -1 : 1
  }
  return one.path.length - other.path.length
}

/** The same for a large value, in steps between which other requests run. */
export const checkLongInput = <S extends z.ZodType>(
  schema: S,
  value: unknown
): Effect.Effect<z.output<S>, BadRequest> =>
  Effect.flatMap(
    Effect.promise(() => schema.safeParseAsync(value)),
    (parsed) => {
      if (parsed.success) return Effect.succeed(parsed.data)
      parsed.error.issues.sort(byPlace)
      return Effect.fail(new BadRequest(issuesOf(schema, parsed.error, value)))
    }
  )

/** The parsed value, or 400 with every violated rule. */
export const checkInput = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix = ""
): Effect.Effect<z.output<S>, BadRequest> => {
  const parsed = schema.safeParse(value)
  return parsed.success
    ? Effect.succeed(parsed.data)
    : Effect.fail(new BadRequest(issuesOf(schema, parsed.error, value, prefix)))
}
