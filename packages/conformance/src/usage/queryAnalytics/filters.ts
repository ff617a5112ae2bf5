/** Which events count, and which rows are shown. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { answers, count, filter, given, of } from "./scene.ts"

export const filters: readonly Case[] = [
  answers("equality as an object", of("provider", "a", "b"), { filters: { provider: "b", variant: "" } }, [
    { request_count: 1 }
  ]),
  answers("a number as the value of a dimension", of("app", "12", "x"), filter("app", "eq", 12), [
    { request_count: 1 }
  ]),
  answers("neq leaves out what is missing", of("app", "a", "b", undefined), filter("app", "neq", "a"), [
    { request_count: 1 }
  ]),
  answers("not_in leaves out what is missing", of("app", "a", "b", undefined), filter("app", "not_in", ["a"]), [
    { request_count: 1 }
  ]),
  answers("not_in with include_unset", of("app", "a", "b", undefined), filter("app", "not_in", ["a"], true), [
    { request_count: 2 }
  ]),
  answers("in with include_unset", of("app", "a", "b", undefined), filter("app", "in", ["a"], true), [
    { request_count: 2 }
  ]),
  answers("in nothing but what is missing", of("app", "a", undefined), filter("app", "in", [], true), [
    { request_count: 1 }
  ]),
  answers("in nothing", of("app", "a", undefined), filter("app", "in", []), [{ request_count: 0 }]),
  answers("not in nothing", of("app", "a", undefined), filter("app", "not_in", []), [{ request_count: 1 }]),
  answers("gt by code point", of("app", "a", "B", "\u{1f600}"), filter("app", "gt", "a"), [{ request_count: 1 }]),
  answers("lte by code point", of("app", "a", "B", "\u{1f600}", undefined), filter("app", "lte", "a"), [
    { request_count: 2 }
  ]),
  {
    name: "a workspace in capitals",
    status: 200,
    run: async (world) => {
      await given(world, {})
      return world.call("queryAnalytics", {
        body: { ...count, filters: { workspace: world.workspace_id.toUpperCase() } }
      })
    },
    check: ({ json }) => assert.deepEqual(json.data.data, [{ request_count: 1 }])
  },
  answers(
    "filters on metrics choose rows",
    of("provider", "a", "b", "b", "c", "c", "c"),
    {
      dimensions: ["provider"],
      filters: [
        { field: "request_count", operator: "gte", value: 2 },
        { field: "request_count", operator: "lt", value: "3" }
      ]
    },
    [{ provider: "b", request_count: 2 }]
  ),
  answers(
    "a metric that is filtered on need not be shown, and is compared exactly",
    [
      { provider: "a", cost_usd: "9007199.000000001" },
      { provider: "b", cost_usd: "9007199" }
    ],
    { dimensions: ["provider"], ...filter("total_usage", "gt", "9007199") },
    [{ provider: "a", request_count: 1 }]
  ),
  answers(
    "what was not measured passes no filter",
    [{ provider: "a" }, { provider: "b", latency_ms: 3 }],
    { dimensions: ["provider"], ...filter("avg_latency", "not_in", [1]) },
    [{ provider: "b", request_count: 1 }]
  ),
  answers("a total that a filter drops", [], filter("request_count", "gt", 0), [])
]
