/** Who makes each of several changes that share a statement, which may be sent by another one's fiber. */
import { type Acting, type ActingEach, Acts } from "@gatewarden/core/store"
import { Context, Effect } from "effect"

/** A change with who makes it. */
export type Acted<C extends { readonly id: string }> = C & { readonly acting: Acting | ActingEach | undefined }

/** Hands the change on with whoever makes it here. */
export const withActor = <C extends { readonly id: string }, A, E, R>(
  change: C,
  use: (acted: Acted<C>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.withFiber((fiber) => use({ ...change, acting: Context.get(fiber.context, Acts) }))

/** Runs the statement that makes these changes in the name of those who make them. */
export const actedBy = <C extends { readonly id: string }, A, E, R>(
  changes: readonly Acted<C>[],
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (changes.length === 1) return Effect.provideService(statement, Acts, changes[0]?.acting)
  const each = new Map<string, Acting>()
  for (const { id, acting } of changes) if (acting !== undefined && !("each" in acting)) each.set(id, acting)
  return Effect.provideService(statement, Acts, { each })
}
