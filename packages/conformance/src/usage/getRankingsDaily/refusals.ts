/** Queries that break a rule. */
import { assert } from "@effect/vitest"
import { type Case, reasonIs, refused } from "../../http/Case.ts"
import { dayOf, type Query, rank } from "./scene.ts"

const bad = (name: string, query: Query, path: string, reason?: string) =>
  refused("getRankingsDaily", name, { query }, { path, reason })

const badWindow = (name: string, query: Query, path: string) => bad(name, query, path, "invalid_date_window")

/** Every pair of filters that excludes each other. */
const exclusive: readonly (readonly [Query, string])[] = [
  [{ category: "legal", language_type: "natural" }, "query.category"],
  [{ category: "legal", modality: "text" }, "query.category"],
  [{ category: "legal", context_bucket: "1K" }, "query.category"],
  [{ language_type: "natural", modality: "text" }, "query.language_type"],
  [{ language_type: "natural", context_bucket: "10M" }, "query.language_type"],
  [{ language_type: "natural", category: "legal", modality: "text", context_bucket: "1K" }, "query.category"]
]

export const refusals: readonly Case[] = [
  ...[
    "2025-02-30",
    "2025-2-3",
    "2025-13-01",
    "20250301",
    "2025-03-01T00:00:00Z",
    "yesterday",
    "",
    " 2025-03-01"
  ].flatMap((date) => [
    badWindow(`start ${JSON.stringify(date)}`, { start_date: date }, "query.start_date"),
    badWindow(`end ${JSON.stringify(date)}`, { end_date: date }, "query.end_date")
  ]),
  badWindow("an end before the dataset", { end_date: "2024-12-31" }, "query.end_date"),
  badWindow("a start after the end", { start_date: "2025-03-02", end_date: "2025-03-01" }, "query.start_date"),
  {
    name: "a start that has not passed yet",
    status: 400,
    run: (world) => rank(world, { start_date: dayOf(world.installation.clock.now) }),
    check: reasonIs("invalid_date_window")
  },
  bad("an unknown period", { period: "year" }, "query.period"),
  bad("an unknown modality", { modality: "video" }, "query.modality"),
  bad("an unknown context bucket", { context_bucket: "1k" }, "query.context_bucket"),
  bad("an unknown category", { category: "marketing/seo/local" }, "query.category"),
  bad("an unknown language type", { language_type: "code" }, "query.language_type"),
  bad("an empty category", { category: "" }, "query.category"),
  ...exclusive.map(([query, path]) => bad(Object.keys(query).join(" and "), query, path, "filter_combination")),
  bad("a category by day", { category: "legal", period: "day" }, "query.period", "period_unavailable"),
  bad("a language type by day", { language_type: "natural", period: "day" }, "query.period", "period_unavailable"),
  {
    name: "a parameter given twice",
    status: 400,
    run: (world) => world.call("getRankingsDaily", { query: "modality=text&modality=text" }),
    check: ({ json }) => assert.strictEqual(json.error.metadata.issues[0].path, "query.modality")
  }
]
