import type { RankingRow, RankingsDaily, RankingsModality, RankingsQuery } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { editionAnswer } from "../../model/CatalogAnswers.ts"
import { RankingsReader, type RankingsRequest } from "../../ports/analytics.ts"
import type { UsageEvent } from "../../ports/usage.ts"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/calendar.ts"
import { compareText } from "../../value/text.ts"
import { invalid } from "../../value/failure.ts"
import { type Decimal, parseDecimal } from "../../value/money.ts"
import { countedDays, neverChanged, resolveRankingsWindow } from "./window.ts"

/** Rule: rankings#counted-usage, rankings#caching. The dataset covers the installation: every caller sees the same rows. */
export const getRankingsDaily = operation("getRankingsDaily")(function* (query: RankingsQuery) {
  const { start_date, end_date, period, ...filters } = query
  const sampled = filters.category !== undefined || filters.language_type !== undefined
  const today = (yield* timestamp).slice(0, 10)
  const window = resolveRankingsWindow({ start_date, end_date, period, sampled, today })
  if (!window.ok) return yield* invalid(window.code, window.path, window.message)
  const reader = yield* RankingsReader
  const request = { ...filters, ...countedDays(window, sampled), period: window.period }
  const { start_date: first, end_date: last } = window
  const ranking = Effect.map(reader.rank(request), ({ rows, changed_at }): RankingsDaily => ({
    data: [...rows],
    meta: { as_of: changed_at ?? neverChanged, start_date: first, end_date: last, version: "v1" }
  }))
  return yield* editionAnswer(JSON.stringify([window, filters]), yield* reader.edition(request), ranking)
})

/** The tokens of one model in one bucket. */
export interface RankingsSum {
  readonly date: string
  /** Canonical slug with variant. */
  readonly model_permaslug: string
  readonly total_tokens: bigint
}

/** How many models a bucket names. */
export const rankedModels = 50

/** The row for the models that a bucket does not list; no model may have this name. */
export const otherModels = "other"

/**
 * Computes the rows of the dataset from sums: in each bucket the fifty models with the most tokens, and one row for all others.
 *
 * Rule: rankings#rows, rankings#periods.
 *
 * Date ascending, then tokens descending, then name; `other` last in its bucket, and only when it has tokens.
 */
export const rankDays = (sums: readonly RankingsSum[]): readonly RankingRow[] => {
  const buckets = new Map<string, RankingsSum[]>()
  for (const sum of sums) {
    const bucket = buckets.get(sum.date)
    if (bucket === undefined) buckets.set(sum.date, [sum])
    else bucket.push(sum)
  }
  return [...buckets.entries()]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([date, bucket]) => rankBucket(date, bucket))
}

const rankBucket = (date: string, bucket: readonly RankingsSum[]): readonly RankingRow[] => {
  const ordered = bucket.filter(({ total_tokens }) => total_tokens > 0n).sort(byTokens)
  const rest = ordered.slice(rankedModels).reduce((sum, { total_tokens }) => sum + total_tokens, 0n)
  const other = rest > 0n ? [{ date, model_permaslug: otherModels, total_tokens: rest }] : []
  return [...ordered.slice(0, rankedModels), ...other].map((row) => ({
    ...row,
    total_tokens: row.total_tokens.toString()
  }))
}

const byTokens = (a: RankingsSum, b: RankingsSum): number =>
  a.total_tokens === b.total_tokens
    ? compareText(a.model_permaslug, b.model_permaslug)
    : a.total_tokens > b.total_tokens
      ? -1
      : 1

type CountedEvent = Pick<
  UsageEvent,
  "input_modalities" | "output_modalities" | "tool_calls" | "context_length_bucket" | "category" | "language_type"
>

const hasModality: Record<RankingsModality, (event: CountedEvent) => boolean> = {
  text: (event) => event.output_modalities?.includes("text") ?? false,
  image: (event) => event.input_modalities?.includes("image") ?? false,
  image_output: (event) => event.output_modalities?.includes("image") ?? false,
  audio: (event) => event.input_modalities?.includes("audio") ?? false,
  tool_calling: (event) => event.tool_calls > 0
}

/**
 * The events that a rankings request counts, apart from their day.
 *
 * Rule: rankings#counted-usage, rankings#sampled-datasets. An event that was not classified is not part of a sampled dataset.
 */
export const isCounted = (
  event: CountedEvent,
  { modality, context_bucket, category, language_type }: RankingsRequest
): boolean =>
  (modality === undefined || hasModality[modality](event)) &&
  (context_bucket === undefined || event.context_length_bucket === context_bucket) &&
  (category === undefined || event.category === category || (event.category?.startsWith(`${category}/`) ?? false)) &&
  (language_type === undefined || event.language_type === language_type)

/** Exact sums of sampled tokens: Σ tokens × weight, rounded half up once at the end (Rule: rankings#sampled-datasets). */
export const nothing: Decimal = { digits: 0n, scale: 0 }

/** Adds the tokens of one event times `weight`, a positive decimal that is used exactly as written. */
export const addSample = (sum: Decimal, tokens: bigint, weight: number): Decimal => {
  const read = parseDecimal(weight) ?? nothing
  const scale = Math.max(sum.scale, read.scale)
  return { digits: digitsAt(sum, scale) + tokens * digitsAt(read, scale), scale }
}

/** Rounds to the nearest integer, half up. Sums are never negative. */
export const roundHalfUp = ({ digits, scale }: Decimal): bigint => {
  const unit = 10n ** BigInt(scale)
  return (2n * digits + unit) / (2n * unit)
}

/** The digits of a number with more decimals. */
const digitsAt = (number: Decimal, scale: number): bigint => number.digits * 10n ** BigInt(scale - number.scale)
