/**
 * Performs requests of one kind in batches, so that a batch takes a contended lock once. A request within a host's transaction is
 * performed alone: it commits or rolls back with that transaction, which must not decide about the requests of others.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { coalesce } from "./coalesce.ts"
import { coalesceApart } from "./coalesceApart.ts"
import { whetherEnclosed } from "./enclosing.ts"
import { isRefused } from "./statements.ts"

/**
 * How requests are performed. `together`: a batch of a whole group, which gives up with a timeout, and has changed nothing, if it has to
 * wait for a lock. `apart`: a batch of one part of a group, which waits without a timeout. `enclosed`: one request, in the host's transaction.
 */
export type Turn = "together" | "apart" | "enclosed"

/** Answers requests of one group, in their order. If it fails, nothing was changed. */
type Perform<Q, A, R> = (requests: readonly Q[], turn: Turn) => Effect.Effect<readonly A[], SqlError.SqlError, R>

const alone =
  <Q, A, R>(perform: Perform<Q, A, R>) =>
  (request: Q) =>
    Effect.map(perform([request], "enclosed"), ([answer]) => answer as A)

/** A batch gave up waiting for a lock, and changed nothing. */
const isImpatient = (error: SqlError.SqlError): boolean => error.reason._tag === "LockTimeoutError"

/** Batches the requests of a group. A batch waits for locks without a timeout. */
export const batched = <Q, A, R>(perform: Perform<Q, A, R>) => {
  const together = coalesce((requests: readonly Q[]) => perform(requests, "apart"), isRefused)
  const single = alone(perform)
  return (group: string, request: Q): Effect.Effect<A, SqlError.SqlError, R> =>
    whetherEnclosed(() => single(request), together(group, request))
}

/** Batches the requests of a group. The requests of a part that waits for a lock get batches of their own. */
export const batchedApart = <Q, A, R>(perform: Perform<Q, A, R>) => {
  const together = coalesceApart({
    many: (requests: readonly Q[]) => perform(requests, "together"),
    few: (requests: readonly Q[]) => perform(requests, "apart"),
    isImpatient,
    isFaultOfOne: isRefused
  })
  const single = alone(perform)
  return (group: string, part: string, request: Q): Effect.Effect<A, SqlError.SqlError, R> =>
    whetherEnclosed(() => single(request), together(group, part, request))
}
