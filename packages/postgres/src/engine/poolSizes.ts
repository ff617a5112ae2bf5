/** How many connections to PostgreSQL a process opens at most, unless told otherwise: `layerPostgres` says what each is for. */
export const poolSizes = { reads: 4, writes: 24, analytics: 4, notifications: 1 } as const

export const connectionsPerProcess = Object.values(poolSizes).reduce((sum, size) => sum + size, 0)

/** How many connections statements of accounts have beside those, where row-level security is on. */
export const tenantConnections = 16
