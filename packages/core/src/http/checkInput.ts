/**
 * Runs the contract's schemas over what was sent and turns zod's findings into issues that never repeat a value.
 *
 * Source: decisions 4.
 */
import { type Issue, type Reason, reasons } from "@gatewarden/contract"
import { Effect } from "effect"
import type { z } from "zod"
import { BadRequest } from "../failure.ts"

const isReason = (value: unknown): value is Reason => typeof value === "string" && Object.hasOwn(reasons, value)

/** The issues of a failed parse; `prefix` is `query.`, `path.` or empty. */
export const issuesOf = (
  error: z.ZodError,
  prefix: string
): { readonly reason: Reason; readonly issues: readonly Issue[] } => {
  let reason: Reason = "invalid_request"
  const issues = error.issues.map((issue): Issue => {
    const params: Record<string, unknown> = issue.code === "custom" ? (issue.params ?? {}) : {}
    if (isReason(params["reason"])) reason = params["reason"]
    return {
      path: prefix + issue.path.map(String).join("."),
      code: typeof params["code"] === "string" ? params["code"] : issue.code,
      message: issue.message
    }
  })
  return { reason, issues }
}

/** The parsed value, or 400 with every broken rule. */
export const checkInput = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix = ""
): Effect.Effect<z.output<S>, BadRequest> => {
  const parsed = schema.safeParse(value)
  return parsed.success ? Effect.succeed(parsed.data) : Effect.fail(new BadRequest(issuesOf(parsed.error, prefix)))
}
