import { ResetInterval } from "@gatewarden/contract"
import * as fc from "fast-check"

/** Filters as their rule wants them; the rest comes from the declaration. */
export const guardrailFields = {
  limit_usd: fc.constant(undefined),
  reset_interval: fc.constant(undefined),
  content_filters: fc.option(
    fc.array(
      fc.record(
        {
          pattern: fc.constantFrom("a+", "acct-[0-9]{6}", "^$", "é🙂", "(?i)x", "(?=a)", "[", "\\bword\\b"),
          action: fc.constantFrom("block", "redact", "flag"),
          label: fc.constantFrom(null, "", "$1", "[GONE]")
        },
        { requiredKeys: ["pattern", "action"] }
      ),
      { minLength: 1, maxLength: 3 }
    )
  )
}

/** Budgets as the pair rule wants them, mostly. */
export const budget: fc.Arbitrary<object> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 5,
    arbitrary: fc.record({
      limit_usd: fc.constantFrom(0, 1, 0.5, 1e-9, 123456789.123456, 1e9, 1e9 + 1, 0.0000000001),
      reset_interval: fc.constantFrom(...ResetInterval.options, null)
    })
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ limit_usd: null, reset_interval: null }, { limit_usd: 5 }, { reset_interval: "daily" })
  }
)
