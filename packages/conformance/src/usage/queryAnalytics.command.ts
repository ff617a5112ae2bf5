import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { command } from "../modelBased/Command.ts"
import { moment, some } from "../modelBased/Thing.ts"
import { modelNames, providers } from "../admission/traffic.ts"

const day = 86_400_000

const ranges = fc.oneof(
  fc.record({ start: moment(-10 * day, -day), end: moment(-day, day) }),
  fc.record({ start: moment(-60 * day, 0), end: moment(-60 * day, 0) })
)

const values = fc.oneof(
  modelNames,
  providers,
  fc.constantFrom<string | number>("user-1", "DE", "", "stop", "1K", 0, 1, 100, 0.5, "é"),
  some("key", "hash"),
  some("workspace")
)

const fields = fc.constantFrom(
  ...[
    "model",
    "variant",
    "api_key_id",
    "user",
    "workspace",
    "provider",
    "country",
    "finish_reason",
    "context_length_bucket"
  ],
  ...[
    "request_count",
    "tokens_total",
    "total_usage",
    "avg_latency",
    "p50_latency",
    "cache_hit_rate",
    "usage_web",
    "nothing"
  ]
)

const filters = fc.oneof(
  fc.array(
    fc.oneof(
      fc.record(
        {
          field: fields,
          operator: fc.constantFrom("eq", "neq", "gt", "gte", "lt", "lte"),
          value: values,
          include_unset: fc.boolean()
        },
        { requiredKeys: ["field", "operator", "value"] }
      ),
      fc.record(
        {
          field: fields,
          operator: fc.constantFrom("in", "not_in"),
          value: fc.array(values, { maxLength: 3 }),
          include_unset: fc.boolean()
        },
        { requiredKeys: ["field", "operator", "value"] }
      )
    ),
    { maxLength: 2 }
  ),
  fc.dictionary(fields, values, { maxKeys: 2 })
)

const classifier = fc.constantFrom("topic", "topic", "mood", "unknown")

const classifiers = members(
  {
    classifier_dimensions: fc.record(
      {
        classifier_id: classifier,
        dimension_names: fc.subarray(["kind", "tone", "absent"], { maxLength: 2 }),
        include_nulls: fc.boolean()
      },
      { requiredKeys: ["classifier_id"] }
    ),
    classifier_filters: fc.record({
      classifier_id: classifier,
      filters: fc.array(
        fc.record({
          field: fc.constantFrom("kind", "tone"),
          operator: fc.constantFrom("eq", "neq", "in", "not_in"),
          value: fc.oneof(fc.constantFrom("a", "b", "1", ""), fc.constantFrom(["a"], ["a", "true"], []))
        }),
        { minLength: 1, maxLength: 2 }
      )
    })
  },
  []
)

export const queryAnalytics = command("queryAnalytics", {
  weight: 6,
  body: {
    time_range: ranges,
    filters,
    order_by: fc.record({
      field: fc.oneof(fields, fc.constantFrom("date", "request_count", "request_count")),
      direction: fc.constantFrom("asc", "desc")
    }),
    limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(1000, 10_000)),
    group_limit: fc.integer({ min: 1, max: 3 }),
    classifier_dimensions: fc.constant(undefined),
    classifier_filters: fc.constant(undefined)
  },
  together: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: classifiers })
})
