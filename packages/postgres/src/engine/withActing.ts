/**
 * Names the actor of a write to the triggers that record it, in the same statement, so that it costs no round trip.
 *
 * PostgreSQL always runs a data-modifying `with` part, and fires row triggers after it. The part that is added inserts nothing: it calls
 * `set_config`, whose value lasts until the end of the transaction.
 */
import { Acts } from "@gatewarden/core/store"
import { Context, type Fiber } from "effect"
import { actingText } from "../stream/functions/acting.ts"

export const actingOf = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  const acts = Context.get(fiber.context, Acts)
  return acts === undefined ? undefined : actingText(acts)
}

const isWrite = /^\s*(?:(with(?:\s+(recursive))?)|insert|update|delete)\b/i

/** The statement with its actor as one more parameter; unchanged if it cannot write rows. */
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
