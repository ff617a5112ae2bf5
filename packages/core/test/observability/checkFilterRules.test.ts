import type { DestinationFilterRules } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { checkFilterRules } from "../../src/observability/checkFilterRules.ts"

type Rule = DestinationFilterRules["groups"][number]["rules"][number]

const rules = (...groups: readonly (readonly Rule[])[]): DestinationFilterRules => ({
  enabled: true,
  groups: groups.map((rules) => ({ logic: "and", rules: [...rules] }))
})

describe("checkFilterRules", () => {
  it("accepts what runs in linear time, and what is no regular expression", () => {
    const fine = rules(
      [
        { field: "model", operator: "regex", value: "^(?i)openai/.+$" },
        { field: "input", operator: "regex" },
        { field: "total_cost", operator: "regex", value: 7 }
      ],
      [{ field: "input", operator: "contains", value: "a(?=b)" }]
    )
    assert.deepStrictEqual(checkFilterRules(fine), [])
  })

  it("names each that does not, without repeating it", () => {
    const found = checkFilterRules(
      rules(
        [{ field: "model", operator: "exists" }],
        [
          { field: "input", operator: "regex", value: "canary(?=b)" },
          { field: "output", operator: "regex", value: "canary(" }
        ]
      )
    )
    assert.deepStrictEqual(
      found.map(({ path, code }) => [path, code]),
      [
        ["filter_rules.groups.1.rules.0.value", "invalid_regex_pattern"],
        ["filter_rules.groups.1.rules.1.value", "invalid_regex_pattern"]
      ]
    )
    assert.notInclude(JSON.stringify(found), "canary")
  })
})
