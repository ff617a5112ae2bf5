import { assert } from "@effect/vitest"
import { analyticsDimensions, analyticsMetrics } from "@gatewarden/contract/internal"
import { type CasesOf, managementOnly } from "../http/Case.ts"

export const getAnalyticsMeta: CasesOf = {
  operation: "getAnalyticsMeta",
  cases: [
    {
      name: "everything that a query may ask for",
      status: 200,
      run: (world) => world.call("getAnalyticsMeta"),
      check: ({ json: { data } }) => {
        assert.strictEqual(data.metrics.length, analyticsMetrics.length)
        assert.deepEqual(data.metrics[0], {
          name: "request_count",
          display_label: "Requests",
          is_rate: false,
          display_format: "number"
        })
        const names = data.metrics.map(({ name }: { name: string }) => name)
        assert.include(names, "platform_usage")
        assert.notInclude(names, "openrouter_usage")
        assert.strictEqual(data.dimensions.length, analyticsDimensions.length)
        assert.deepEqual(
          data.operators.filter(({ value_type }: { value_type: string }) => value_type === "array"),
          [
            { name: "in", value_type: "array" },
            { name: "not_in", value_type: "array" }
          ]
        )
        assert.deepEqual(
          data.granularities.map(({ name }: { name: string }) => name),
          ["minute", "hour", "day", "week", "month"]
        )
      }
    },
    {
      name: "every metric and dimension can be queried",
      status: 200,
      run: async (world) => {
        const { metrics, dimensions } = (await world.call("getAnalyticsMeta")).json.data
        for (const { name } of dimensions)
          assert.strictEqual(
            (await world.call("queryAnalytics", { body: { metrics: ["request_count"], dimensions: [name] } })).status,
            200
          )
        return world.call("queryAnalytics", { body: { metrics: metrics.map(({ name }: { name: string }) => name) } })
      },
      check: ({ json: { data } }) => assert.strictEqual(Object.keys(data.data[0]).length, analyticsMetrics.length)
    },
    ...managementOnly("getAnalyticsMeta", () => ({})),
    {
      name: "the store does not answer who is calling",
      status: 500,
      run: async (world) => {
        const made = await world.call("createKey", { body: { name: "unseen" } })
        world.installation.faults.break("ApiKeys")
        try {
          return await world.call("getAnalyticsMeta", { key: made.json.key })
        } finally {
          world.installation.faults.mend()
        }
      }
    }
  ]
}
