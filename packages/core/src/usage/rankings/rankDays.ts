/**
 * Computes the rows of the dataset from sums: in each bucket the fifty models with the most tokens, and one row for all others.
 *
 * Rule: rankings#rows, rankings#periods.
 */
import type { RankingRow } from "@gatewarden/contract"
import { compareText } from "../../value/compareText.ts"

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

/** Date ascending, then tokens descending, then name; `other` last in its bucket, and only when it has tokens. */
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
