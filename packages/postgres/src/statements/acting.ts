import { type Acting, type ActingEach, Acts } from "@gatewarden/core/store"
import { Context, Effect, type Fiber } from "effect"
import { actingText } from "../functions/changes.ts"

/**
 * Keeps the actor of each change, for changes that share a statement: the fiber of another change may send it.
 *
 * A change with who makes it.
 */
export type Acted<C extends { readonly id: string }> = C & { readonly acting: Acting | ActingEach | undefined }

/** Passes the change on together with the actor of this fiber. */
export const withActor = <C extends { readonly id: string }, A, E, R>(
  change: C,
  use: (acted: Acted<C>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.withFiber((fiber) => use({ ...change, acting: Context.get(fiber.context, Acts) }))

/** Runs a statement that makes these changes, in the name of their actors. */
export const actedBy = <C extends { readonly id: string }, A, E, R>(
  changes: readonly Acted<C>[],
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (changes.length === 1) return Effect.provideService(statement, Acts, changes[0]?.acting)
  const each = new Map<string, Acting>()
  for (const { id, acting } of changes) if (acting !== undefined && !("each" in acting)) each.set(id, acting)
  return Effect.provideService(statement, Acts, { each })
}

export const actingOf = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  const acts = Context.get(fiber.context, Acts)
  return acts === undefined ? undefined : actingText(acts)
}

const isWrite = /^\s*(?:(with(?:\s+(recursive))?)|insert|update|delete)\b/i

/**
 * Names the actor of a write to the triggers that record it, in the same statement, so that it costs no round trip.
 *
 * PostgreSQL always runs a data-modifying `with` part, and fires row triggers after it. The part that is added inserts nothing: it calls
 * `set_config`, whose value lasts until the end of the transaction.
 *
 * The statement with its actor as one more parameter; unchanged if it cannot write rows.
 */
export const withActing = (
  text: string,
  parameters: readonly unknown[],
  acting: string
): readonly [string, readonly unknown[]] => {
  const found = isWrite.exec(text)
  if (found === null) return [text, parameters]
  // The word belongs to the whole list.
  const named = `with ${found[2] === undefined ? "" : "recursive "}gatewarden_acting as (
    insert into gatewarden_changes (seq)
    select 0 where set_config('gatewarden.acting', $${parameters.length + 1}, true) is null
  )`
  const rest = found[1] === undefined ? ` ${text}` : `, ${text.slice(found[0].length)}`
  return [named + rest, [...parameters, acting]]
}
