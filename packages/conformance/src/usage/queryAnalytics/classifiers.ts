/** Rows and filters by the tags that classifiers gave, and by those of traces. Rule: analytics#classifiers, analytics#trace-tags. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { answers, bad, byTopic, count, given, oneDay, tagged, topic } from "./scene.ts"

export const classifiers: readonly Case[] = [
  answers(
    "by a tag: events without it are left out",
    tagged({ area: "code" }, { area: "prose" }, { area: "code", tone: "kind" }, { tone: "kind" }, undefined),
    topic("area"),
    [
      { area: "code", request_count: 2 },
      { area: "prose", request_count: 1 }
    ]
  ),
  answers(
    "by a tag, with those that have none",
    tagged({ area: "code" }, undefined),
    { classifier_dimensions: [{ classifier_id: "topic", dimension_names: ["area"], include_nulls: true }] },
    [
      { area: "code", request_count: 1 },
      { area: null, request_count: 1 }
    ]
  ),
  answers(
    "by two tags and a dimension",
    tagged({ area: "code", tone: "kind" }, { area: "code" }),
    { dimensions: ["provider"], ...topic("area", "tone") },
    [{ provider: "acme", area: "code", tone: "kind", request_count: 1 }]
  ),
  answers("by every tag", tagged({ area: "code", tone: "kind" }, { area: "code" }, undefined), topic(), [
    { clf_dimension_name: "area", clf_dimension_value: "code", request_count: 2 },
    { clf_dimension_name: "tone", clf_dimension_value: "kind", request_count: 1 }
  ]),
  answers(
    "by every tag, with those that have none",
    tagged({ area: "code" }, {}, undefined),
    { classifier_dimensions: { classifier_id: "topic", include_nulls: true } },
    [
      { clf_dimension_name: null, clf_dimension_value: null, request_count: 2 },
      { clf_dimension_name: "area", clf_dimension_value: "code", request_count: 1 }
    ]
  ),
  answers("tags are texts", tagged({ sure: true, level: 2 }), topic("sure", "level"), [
    { sure: "true", level: "2", request_count: 1 }
  ]),
  answers(
    "a classifier filter beside standard dimensions",
    tagged({ area: "code" }, { area: "prose" }, undefined),
    { dimensions: ["provider"], ...byTopic({ field: "area", operator: "neq", value: "code" }) },
    [{ provider: "acme", request_count: 1 }]
  ),
  answers(
    "a classifier filter beside a classifier dimension",
    tagged({ area: "code", tone: "kind" }, { area: "code", tone: "rude" }, { area: "prose", tone: "kind" }),
    { ...topic("tone"), ...byTopic({ field: "area", operator: "in", value: ["code"] }) },
    [
      { tone: "kind", request_count: 1 },
      { tone: "rude", request_count: 1 }
    ]
  ),
  answers(
    "a group limit counts combinations of tags",
    [
      { created_at: "2026-03-01T00:00:00Z", classifiers: { topic: { area: "code" } } },
      { created_at: "2026-03-02T00:00:00Z", classifiers: { topic: { area: "code" } } }
    ],
    { ...oneDay, ...topic("area"), group_limit: 1 },
    [{ date__day: "2026-03-02T00:00:00.000Z", area: "code", request_count: 1 }],
    true
  ),
  answers(
    "by the tags of traces: an event counts under each",
    [
      { trace: { tags: ["team-a", "batch", 7, "", "team-a"] } },
      { trace: { tags: "team-a" }, ...tagged({ area: "code" })[0] },
      { trace: { tags: { team: "a" } } },
      {}
    ],
    { classifier_dimensions: { classifier_id: "trace.tags" } },
    [
      { clf_dimension_name: "team-a", clf_dimension_value: "true", request_count: 2 },
      { clf_dimension_name: "batch", clf_dimension_value: "true", request_count: 1 }
    ]
  ),
  answers(
    "of a tag of traces",
    [{ trace: { tags: ["team-a"] } }, { trace: { tags: ["__proto__"] } }],
    {
      classifier_filters: {
        classifier_id: "trace.tags",
        filters: [{ field: "__proto__", operator: "eq", value: "true" }]
      }
    },
    [{ request_count: 1 }]
  ),
  {
    name: "the first 64 tags of a trace, 200 characters of each, and what a trace without tags is given as a classifier",
    status: 200,
    run: async (world) => {
      const tags = [`${"x".repeat(199)}\u{1f600}`, ...Array.from({ length: 70 }, (_, n) => `t${n}`)]
      await given(
        world,
        { trace: { tags }, classifiers: { "trace.tags": { mine: "no" } } },
        { classifiers: { "trace.tags": { mine: "yes" } } }
      )
      return world.call("queryAnalytics", {
        body: { ...count, classifier_dimensions: { classifier_id: "trace.tags" } }
      })
    },
    check: ({ json }) => {
      const rows: readonly { clf_dimension_name: string; clf_dimension_value: string }[] = json.data.data
      const names = rows.map((row) => row.clf_dimension_name)
      assert.lengthOf(names, 65)
      assert.includeMembers(names, ["x".repeat(199), "t0", "t62", "mine"])
      assert.deepEqual(
        rows.filter((row) => row.clf_dimension_value !== "true").map((row) => row.clf_dimension_value),
        ["yes"]
      )
    }
  },
  {
    name: "a classifier that only another account has",
    status: 400,
    run: async (world) => {
      await given(await world.other(), ...tagged({ area: "code" }))
      return world.call("queryAnalytics", { body: { ...count, ...topic() } })
    },
    check: ({ json }) => {
      assert.strictEqual(json.error.metadata.reason, "unknown_classifier")
      assert.strictEqual(json.error.metadata.issues[0].path, "classifier_dimensions")
    }
  },
  bad(
    "a filter of an unknown classifier",
    byTopic({ field: "area", operator: "eq", value: "x" }),
    "classifier_filters",
    "unknown_classifier"
  ),
  bad(
    "two classifiers",
    {
      ...topic(),
      classifier_filters: { classifier_id: "other", filters: [{ field: "a", operator: "eq", value: "b" }] }
    },
    "classifier_dimensions",
    "filter_combination"
  ),
  bad("three classifier dimensions", topic("a", "b", "c"), "classifier_dimensions.dimension_names"),
  bad("a classifier dimension with the name of another column", topic("request_count"), "classifier_dimensions"),
  bad("classifier filters without a filter", byTopic(), "classifier_filters.filters"),
  bad(
    "eleven classifier filters",
    byTopic(...Array(11).fill({ field: "a", operator: "eq", value: "b" })),
    "classifier_filters.filters"
  ),
  bad(
    "classifier filters without end",
    { classifier_filters: Array(21).fill(byTopic({ field: "a", operator: "eq", value: "b" }).classifier_filters) },
    "classifier_filters"
  ),
  bad("gt on a tag", byTopic({ field: "a", operator: "gt", value: "b" }), "classifier_filters.filters.0.operator")
]
