import type { CreateGuardrail, Issue } from "@gatewarden/contract"
import { Effect } from "effect"
import { BadRequest } from "../value/failure.ts"
import { patternProblem } from "./patternProblem.ts"

/** A pattern and its path in the request. */
export interface PlacedPattern {
  readonly path: string
  readonly pattern: string
}

/** `at`: the path of the filters' guardrail in the request, with a trailing dot. */
export const patternsOfFilters = (filters: CreateGuardrail["content_filters"], at = ""): readonly PlacedPattern[] =>
  (filters ?? []).map(({ pattern }, index) => ({ path: `${at}content_filters.${index}.pattern`, pattern }))

/** Fails with 400 `invalid_regex_pattern` when a pattern cannot run in linear time. */
export const refusePatterns = Effect.fnUntraced(function* (patterns: readonly PlacedPattern[]) {
  const issues: Issue[] = []
  for (const [index, { path, pattern }] of patterns.entries()) {
    // The largest patterns take tens of milliseconds each and a body may have thousands, so other requests run in between.
    if (index > 0) yield* Effect.yieldNow
    const message = patternProblem(pattern)
    if (message !== undefined) issues.push({ path, code: "invalid_regex_pattern", message })
  }
  if (issues.length > 0) return yield* new BadRequest({ reason: "invalid_regex_pattern", issues })
})
