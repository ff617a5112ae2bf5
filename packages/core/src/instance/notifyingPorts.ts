/** Wraps the ports of a store so that each write that succeeds is told: to this process's caches at once, to other processes soon. */
import { Context, Effect, Exit, Option } from "effect"
import { type FreshnessState, Uncommitted } from "../cache/Freshness.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { BackgroundJobs } from "../ports/backgroundJobs.ts"
import { type Change, ChangeLog } from "../ports/changeLog.ts"
import { IdempotencyRecords } from "../ports/idempotency.ts"
import { portChanges } from "./portChanges.ts"

type Method = (...args: readonly unknown[]) => Effect.Effect<unknown>
type Telling = (answer: unknown, ...args: readonly unknown[]) => readonly Change[]

/**
 * A write whose outcome nobody knows is told by the stream, if it was committed; one that failed changed nothing. So only a success is
 * told here.
 */
export const notifyingPorts = (
  store: Context.Context<StorePorts>,
  { tell }: Pick<FreshnessState, "tell">
): Context.Context<StorePorts> => {
  const log = Context.get(store, ChangeLog)
  const announce = Effect.catchCause(log.announce, () => Effect.void)
  const committed = (changes: readonly Change[]): Effect.Effect<void> => {
    if (changes.length === 0) return Effect.void
    tell(changes)
    return announce
  }
  const told = (changes: readonly Change[]): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      const open = Context.get(fiber.context, Uncommitted)
      if (open === undefined) return committed(changes)
      open.push(...changes)
      return Effect.void
    })

  const services = new Map(store.mapUnsafe)
  for (const [port, row] of Object.entries(portChanges)) {
    const key = `gatewarden/${port}`
    const service = services.get(key) as Readonly<Record<string, unknown>>
    const wrapped: Record<string, unknown> = { ...service }
    for (const [name, changesOf] of Object.entries(row) as [string, "keeps" | Telling][]) {
      if (changesOf === "keeps") {
        wrapped[name] = service[name]
        continue
      }
      const method = service[name] as Method
      wrapped[name] = (...args: readonly unknown[]) =>
        Effect.tap(method(...args), (answer) => told(changesOf(answer, ...args)))
    }
    services.set(key, wrapped)
  }

  /** What the work of a transaction changes is told when the transaction has been committed. */
  const afterwards = <A, E, R>(
    transact: (changes: Change[]) => Effect.Effect<Option.Option<A>, E, R>
  ): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.suspend(() => {
      const changes: Change[] = []
      return Effect.onExit(transact(changes), (exit) =>
        Exit.isSuccess(exit) && Option.isSome(exit.value) ? committed(changes) : Effect.void
      )
    })

  const records = Context.get(store, IdempotencyRecords)
  const complete: typeof records.complete = (scope, token, work) =>
    afterwards((changes) => records.complete(scope, token, Effect.provideService(work, Uncommitted, changes)))
  const repeatable: typeof records = {
    claim: records.claim,
    renew: records.renew,
    release: records.release,
    complete
  }
  services.set(IdempotencyRecords.key, repeatable)

  const jobs = Context.get(store, BackgroundJobs)
  const commit: typeof jobs.commit = (turn, work) =>
    afterwards((changes) =>
      jobs.commit(turn, (position) => Effect.provideService(work(position), Uncommitted, changes))
    )
  services.set(BackgroundJobs.key, { ...jobs, commit })
  return Context.makeUnsafe(services)
}
