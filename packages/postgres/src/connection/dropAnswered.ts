import type { PgConnection } from "@effect/sql-pg"

/** How `@effect/sql-pg` 4.0.5 lists the statements of a multiplexed connection: the first `pipelineHead` of them are answered. */
interface Pipeline {
  pipelineInFlight?: unknown[]
  pipelineHead?: number
}

/**
 * Drops the answered statements of a connection, with their parameters and rows. The driver keeps them until no statement is in flight, which
 * does not happen under steady load: then memory grows with every answer. Call it when an answer has arrived; it costs nothing on a connection
 * without pipeline.
 */
export const dropAnswered = (session: PgConnection.PgConnection): void => {
  const pipeline = session as Pipeline
  const { pipelineInFlight: listed, pipelineHead: answered } = pipeline
  // The driver itself empties a list that has only answered ones.
  if (listed === undefined || answered === undefined || answered === 0 || answered >= listed.length) return
  listed.splice(0, answered)
  pipeline.pipelineHead = 0
}
