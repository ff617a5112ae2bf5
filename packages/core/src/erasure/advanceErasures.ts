import type { ErasureObstacle } from "@gatewarden/contract"
import { Effect, Option, Result } from "effect"
import { actingAs } from "../ports/changes.ts"
import { formatInstant, timestamp } from "../value/timestamp.ts"
import { openErasure, pseudonymOfSession } from "./erasureRequest.ts"
import { type DueErasure, Erasures, type ErasureWork, type NamedEvent } from "../ports/erasures.ts"

/** Events that one batch examines, and rows of each other table that it changes. */
const examinedAtOnce = 2_000
const rowsAtOnce = 500

const waitMillis = 60_000

const wait = (in_the_way: readonly ErasureObstacle[], now: string): ErasureWork => ({
  does: "wait",
  in_the_way,
  until: formatInstant(Date.parse(now) + waitMillis)
})

/** What is done next. Before sums and configuration are changed, nothing may act in the person's name any more. */
const workOf = Effect.fnUntraced(function* (
  { id, account_id, step, place, sealed_request }: DueErasure,
  now: string,
  most: BatchSizes
) {
  const opened = yield* Effect.result(openErasure(sealed_request, account_id, id))
  if (Result.isFailure(opened)) return wait([{ kind: "keyring", count: 1 }], now)
  const request = opened.success
  const person = { kind: request.kind, name: request.name }
  const erasures = yield* Erasures
  if (step === "usage" || step === "late") {
    const walked = yield* erasures.walk(account_id, person, place, most.examined)
    const events = yield* Effect.forEach(walked.events, ({ id: event, session_id }) =>
      session_id === null
        ? Effect.succeed<NamedEvent>({ id: event, session_id })
        : Effect.map(pseudonymOfSession(request, session_id), (of): NamedEvent => ({ id: event, session_id: of }))
    )
    return { does: "events", person, walked: { ...walked, events } } satisfies ErasureWork
  }
  const obstacles = yield* erasures.inTheWay(account_id, person, now)
  return obstacles.length > 0
    ? wait(obstacles, now)
    : ({ does: "rows", person, atMost: most.rows } satisfies ErasureWork)
})

interface BatchSizes {
  readonly examined: number
  readonly rows: number
}

/**
 * One batch of the background job: a step of the erasure that is due for the longest time; 0 when none is. The log of changes names the erasure
 * as the request. Rule: access#erasures.
 */
export const advanceErasuresBy = (most: BatchSizes) =>
  Effect.gen(function* () {
    const now = yield* timestamp
    const erasures = yield* Erasures
    const due = yield* erasures.due(now)
    if (Option.isNone(due)) return 0
    const { id, account_id } = due.value
    const work = yield* workOf(due.value, now, most)
    yield* actingAs(
      { actor: { type: "server", id: null }, operation: "erasures", request_id: id },
      erasures.advance(account_id, id, work, now)
    )
    return 1
  })

export const advanceErasures = advanceErasuresBy({ examined: examinedAtOnce, rows: rowsAtOnce })
