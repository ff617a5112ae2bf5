/**
 * The nearest-rank percentile: the smallest value that at least `percent` of all values do not exceed (Rule: analytics#metrics,
 * models#endpoint-statistics).
 */
export const nearestRank = (ascending: readonly number[], percent: number): number | undefined =>
  ascending[Math.ceil((percent * ascending.length) / 100) - 1]
