/** What admissions and explanations ask, so that guardrails, budgets and catalogs meet in them. */
import * as fc from "fast-check"
import { some } from "../modelBased/Thing.ts"
import { modelNames, providers } from "./traffic.ts"

const preferences = fc.record(
  {
    only: fc.array(providers, { minLength: 1, maxLength: 2 }),
    ignore: fc.array(providers, { minLength: 1, maxLength: 2 }),
    order: fc.array(providers, { minLength: 1, maxLength: 2 }),
    allow_fallbacks: fc.boolean(),
    zdr: fc.boolean(),
    data_collection: fc.constantFrom("allow", "deny")
  },
  { requiredKeys: [] }
)

export const admissionFields = {
  api_key_hash: some("key", "hash"),
  model: fc.oneof(
    { weight: 6, arbitrary: modelNames },
    { weight: 1, arbitrary: fc.constantFrom("@preset/a", "nobody/knows") }
  ),
  models: fc.array(modelNames, { maxLength: 2 }),
  preset: fc.constantFrom("a", "missing"),
  provider: preferences,
  messages: fc.constantFrom([{ role: "user", content: "Hello" }], []),
  max_completion_tokens: fc.integer({ min: 1, max: 100_000 }),
  max_cost_usd: fc.constantFrom("0", "0.01", "0.25", "5", "1000000000"),
  user: fc.constantFrom("eve"),
  session_id: fc.constantFrom("session")
}
