/**
 * The regular expressions of filter rules are for traffic that clients shape, so they follow the rule of content filters
 * (Rule: observability#filter-rules).
 */
import type { DestinationFilterRules } from "@gatewarden/contract"
import type { PlacedPattern } from "../guardrail/refusePatterns.ts"

export const patternsOfRules = ({ groups }: DestinationFilterRules): readonly PlacedPattern[] =>
  groups.flatMap(({ rules }, group) =>
    rules.flatMap(({ operator, value }, rule) =>
      operator === "regex" && typeof value === "string"
        ? [{ path: `filter_rules.groups.${group}.rules.${rule}.value`, pattern: value }]
        : []
    )
  )
