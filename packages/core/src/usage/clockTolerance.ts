/** How far the clock of a data plane may be ahead of ours (decisions 14). */
export const clockToleranceMillis = 300_000
