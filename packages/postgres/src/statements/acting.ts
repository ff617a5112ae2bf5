/**
 * Names the actor of a write to the triggers that record it, in the same statement, so that it costs no round trip.
 *
 * A statement that writes recorded rows begins with a word of `acts`; one that is put together as text is a `Write`. If somebody acts when
 * it runs, a data-modifying `with` part is added at that word: PostgreSQL always runs such a part, and fires row triggers after it. It
 * inserts nothing and calls `set_config`, whose value lasts until the end of the transaction.
 *
 * Rule: audit#actors.
 */
import { type Acting, type ActingEach, Acts } from "@gatewarden/core/store"
import { Context, Effect, type Fiber } from "effect"
import { Statement } from "effect/sql"
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

const actingOf = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  const acts = Context.get(fiber.context, Acts)
  return acts === undefined ? undefined : actingText(acts)
}

/** The words that a write can begin with. */
type Word = "insert" | "update" | "delete" | "with" | "with recursive"

const part: Readonly<Record<Word, readonly [before: string, after: string]>> = (() => {
  const before =
    "gatewarden_acting as (insert into gatewarden_changes (seq) select 0 where set_config('gatewarden.acting', "
  const after = ", true) is null)"
  const alone = (word: Word) => [`with ${before}`, `${after} ${word}`] as const
  return {
    insert: alone("insert"),
    update: alone("update"),
    delete: alone("delete"),
    with: [`with ${before}`, `${after},`],
    // The word belongs to the whole list.
    "with recursive": [`with recursive ${before}`, `${after},`]
  }
})()

/** What a statement does, for spans and metrics. */
const operationOf = (word: Word): string => (word === "with recursive" ? "with" : word)

const wordAt = new Map<Statement.Segment, Word>()

const first = (word: Word): Statement.Fragment => {
  const segment = Statement.literal(word)
  wordAt.set(segment, word)
  return Statement.fragment([segment])
}

/** The first word of a statement that writes recorded rows. */
export const acts = {
  insert: first("insert"),
  update: first("update"),
  delete: first("delete"),
  with: first("with"),
  withRecursive: first("with recursive")
}

/** Reads the actor when the statement runs, since one that others share names the actors of all of them. */
export const naming: Statement.Transformer = (statement, sql, fiber, span) => {
  const acting = actingOf(fiber)
  const at = acting === undefined ? -1 : statement.segments.findIndex((segment) => wordAt.has(segment))
  const word = wordAt.get(statement.segments[at] as Statement.Segment)
  if (word === undefined) return Effect.succeed(statement)
  span.attribute("db.operation.name", operationOf(word))
  const [before, after] = part[word]
  const named = [Statement.literal(before), Statement.parameter(acting), Statement.literal(after)]
  return Effect.succeed(sql`${Statement.fragment(statement.segments.toSpliced(at, 1, ...named))}`)
}

/** A write as text: its first word, and the rest with parameters `$1`, `$2` …. */
export interface Write {
  readonly word: Word
  readonly rest: string
}

/** The text of a write with its parameters, with the actor of this fiber as one more. */
export const namedText = (
  { word, rest }: Write,
  parameters: readonly unknown[],
  fiber: Fiber.Fiber<unknown, unknown>
): readonly [text: string, parameters: readonly unknown[], operation: string] => {
  const acting = actingOf(fiber)
  if (acting === undefined) return [word + rest, parameters, operationOf(word)]
  const [before, after] = part[word]
  return [`${before}$${parameters.length + 1}${after}${rest}`, [...parameters, acting], operationOf(word)]
}
