/** How long an installation under test lets a query of analytics run. No other wait is as long, so that a case can skip this one. */
export const analyticsTimeoutMillis = 29_000
