import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, reasonIs, storeGone } from "../http/Case.ts"
import { skipSleep } from "../HandClock.ts"
import { analyticsTimeoutMillis } from "./analyticsTimeoutMillis.ts"
import { classifiers } from "./queryAnalytics/classifiers.ts"
import { filters } from "./queryAnalytics/filters.ts"
import { groups } from "./queryAnalytics/groups.ts"
import { measures } from "./queryAnalytics/measures.ts"
import { order } from "./queryAnalytics/order.ts"
import { refusals } from "./queryAnalytics/refusals.ts"
import { count } from "./queryAnalytics/scene.ts"

export const queryAnalytics: CasesOf = {
  operation: "queryAnalytics",
  cases: [
    ...measures,
    ...groups,
    ...order,
    ...filters,
    ...classifiers,
    ...refusals,
    ...managementOnly("queryAnalytics", () => ({ body: count })),
    {
      name: "what was read, if the request asks for it",
      status: 200,
      run: async (world) => {
        const silent = await world.call("queryAnalytics", { body: count })
        assert.isNull(silent.headers.get("gatewarden-plan"))
        return world.call("queryAnalytics", { body: count, headers: { "gatewarden-debug": "plan" } })
      },
      check: ({ headers }) => assert.match(headers.get("gatewarden-plan") ?? "", /^(events|\w.*ranges of events)$/)
    },
    {
      name: "a query that runs too long",
      status: 408,
      run: async (world) => {
        world.installation.faults.stall("AnalyticsReader")
        skipSleep(world.installation.clock, analyticsTimeoutMillis)
        try {
          return await world.call("queryAnalytics", { body: count })
        } finally {
          world.installation.faults.mend()
        }
      },
      check: reasonIs("analytics_timeout")
    },
    storeGone("AnalyticsReader", 500, (world) => world.call("queryAnalytics", { body: count }))
  ]
}
