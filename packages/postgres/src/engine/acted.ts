/** Keeps the actor of each change, for changes that share a statement: the fiber of another change may send it. */
import { type Acting, type ActingEach, Acts } from "@gatewarden/core/store"
import { Context, Effect } from "effect"

/** A change with who makes it. */
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
