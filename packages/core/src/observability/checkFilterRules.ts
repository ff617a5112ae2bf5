/** The regular expressions of filter rules run over traffic, so they obey the rule of content filters (decisions 5). */
import type { DestinationFilterRules, Issue } from "@gatewarden/contract"
import { patternProblem } from "../guardrail/checkPatterns.ts"

export const checkFilterRules = ({ groups }: DestinationFilterRules): readonly Issue[] =>
  groups.flatMap(({ rules }, group) =>
    rules.flatMap(({ operator, value }, rule) => {
      const problem = operator === "regex" && typeof value === "string" ? patternProblem(value) : undefined
      return problem === undefined
        ? []
        : [
            {
              path: `filter_rules.groups.${group}.rules.${rule}.value`,
              code: "invalid_regex_pattern",
              message: problem
            }
          ]
    })
  )
