/** How far the clock of a data plane may be ahead of ours (Rule: usage#clock-tolerance). */
export const clockToleranceMillis = 300_000
