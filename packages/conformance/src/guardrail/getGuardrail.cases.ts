import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

export const getGuardrail: CasesOf = {
  operation: "getGuardrail",
  cases: [
    {
      name: "as it was created, whatever the case of the id",
      status: 200,
      run: async (world) => {
        const made = await world.call("createGuardrail", {
          body: {
            name: "All",
            description: "d",
            allowed_data_regions: ["us", "europe", "us"],
            allowed_models: ["b/two", "a/one", "b/two"],
            content_filters: [{ pattern: "a+", action: "redact", label: "$1" }],
            content_filter_builtins: [{ slug: "regex-prompt-injection", action: "flag", scan_scope: "user_only" }],
            limit_usd: 123456789.123456,
            reset_interval: "monthly"
          }
        })
        const read = await world.call("getGuardrail", { params: { id: made.json.data.id.toUpperCase() } })
        assert.deepEqual(read.json.data, made.json.data)
        return read
      },
      check: ({ json: { data } }) => {
        assert.deepEqual(data.allowed_data_regions, ["us", "europe"])
        assert.deepEqual(data.allowed_models, ["b/two", "a/one"])
        assert.deepEqual(data.content_filters, [{ pattern: "a+", action: "redact", label: "$1" }])
        assert.strictEqual(data.limit_usd, 123456789.123456)
      }
    },
    ...managementOnly("getGuardrail", () => ({ params: { id: nobody } })),
    { name: "unknown", status: 404, run: (world) => world.call("getGuardrail", { params: { id: nobody } }) },
    { name: "malformed", status: 404, run: (world) => world.call("getGuardrail", { params: { id: "../x" } }) },
    {
      name: "a default guardrail that nobody configured",
      status: 404,
      run: (world) => world.call("getGuardrail", { params: { id: world.default_guardrail_id } })
    },
    {
      name: "of another account, alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const foreign = await other.call("createGuardrail", { body: { name: "Theirs" } })
        const headers = { "x-request-id": "same" }
        const hidden = await world.call("getGuardrail", { params: { id: foreign.json.data.id }, headers })
        const absent = await world.call("getGuardrail", { params: { id: nobody }, headers })
        assert.strictEqual(hidden.text, absent.text)
        return hidden
      }
    },
    storeGone("Guardrails", 500, (world) => world.call("getGuardrail", { params: { id: nobody } }))
  ]
}
