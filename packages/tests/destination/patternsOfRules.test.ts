import type { DestinationFilterRules } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { patternsOfRules } from "../../core/src/destination/config.ts"

type Rule = DestinationFilterRules["groups"][number]["rules"][number]

const rules = (...groups: readonly (readonly Rule[])[]): DestinationFilterRules => ({
  enabled: true,
  groups: groups.map((rules) => ({ logic: "and", rules: [...rules] }))
})

describe("patternsOfRules", () => {
  it("finds what is a regular expression, and where", () => {
    const found = patternsOfRules(
      rules(
        [
          { field: "input", operator: "regex" },
          { field: "total_cost", operator: "regex", value: 7 },
          { field: "model", operator: "regex", value: "^(?i)openai/.+$" }
        ],
        [
          { field: "input", operator: "contains", value: "a(?=b)" },
          { field: "output", operator: "regex", value: "a(?=b)" }
        ]
      )
    )
    assert.deepStrictEqual(found, [
      { path: "filter_rules.groups.0.rules.2.value", pattern: "^(?i)openai/.+$" },
      { path: "filter_rules.groups.1.rules.1.value", pattern: "a(?=b)" }
    ])
  })
})
