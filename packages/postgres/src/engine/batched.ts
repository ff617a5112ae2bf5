/**
 * Work that goes together with other work of its kind: what is contended is asked for once. Whoever stands in a transaction of a host is
 * alone there: he must not work for others, nor they for him.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { coalesce } from "./coalesce.ts"
import { coalesceApart } from "./coalesceApart.ts"
import { whetherEnclosed } from "./enclosing.ts"
import { isRefused } from "./statements.ts"

/**
 * How requests are performed. `together`: many, of a whole group, where whoever has to wait for a lock gives up with a timeout and keeps
 * nothing; `apart`: those of one part of a group, which wait as long as it takes; `enclosed`: one, in the transaction that it stands in.
 */
export type Turn = "together" | "apart" | "enclosed"

/** Answers requests of one group, in their order. Where it fails it has kept nothing. */
type Perform<Q, A, R> = (requests: readonly Q[], turn: Turn) => Effect.Effect<readonly A[], SqlError.SqlError, R>

const alone =
  <Q, A, R>(perform: Perform<Q, A, R>) =>
  (request: Q) =>
    Effect.map(perform([request], "enclosed"), ([answer]) => answer as A)

/** A call for many gave up its wait for a lock, and kept nothing. */
const isImpatient = (error: SqlError.SqlError): boolean => error.reason._tag === "LockTimeoutError"

/** Requests of a group wait for each other, and as long as it takes. */
export const batched = <Q, A, R>(perform: Perform<Q, A, R>) => {
  const together = coalesce((requests: readonly Q[]) => perform(requests, "apart"), isRefused)
  const single = alone(perform)
  return (group: string, request: Q): Effect.Effect<A, SqlError.SqlError, R> =>
    whetherEnclosed(() => single(request), together(group, request))
}

/** Requests of a group share calls, but for those of a part of it that something holds up. */
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
