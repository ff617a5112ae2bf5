/**
 * Changes nothing that is kept. What holds requests takes limits interval by interval and has another name: a server of the version before can
 * neither start nor hold anything beside it.
 */
export const slotsByInterval = { id: 45, name: "slots_by_interval", sql: "" } as const
