/**
 * Random lives of keys that are rotated, and by the words of the rule, computed once more, which secrets open a key in them.
 *
 * Rule: access#rotating-keys.
 */
import * as fc from "fast-check"

export interface LifeEvent {
  readonly what: "rotate" | "disable" | "enable" | "expire" | "delete"
  readonly millis: number
  /** Of a rotation; of an expiry how long it is still to come. */
  readonly overlapMillis: number
}

/** Lives of up to ten events, in the order of time; two may happen in one millisecond. */
export const randomLives = (): readonly (readonly LifeEvent[])[] =>
  fc
    .sample(
      fc.array(
        fc.record({
          what: fc.constantFrom<LifeEvent["what"][]>(
            ...(["rotate", "rotate", "rotate", "rotate"] as const),
            "disable",
            "enable",
            "enable",
            "expire",
            "delete"
          ),
          millis: fc.constantFrom(0, 1, 999, 1_000, 30_000, 60_000),
          overlapMillis: fc.constantFrom(0, 1, 1_000, 60_000, 100_000)
        }),
        { minLength: 1, maxLength: 10 }
      ),
      40
    )
    .map((steps) => {
      let millis = 0
      return steps.map((step) => ({ ...step, millis: (millis += step.millis) }))
    })

/** Until when each secret opens the key by itself: the first one, and one for each rotation. */
const endsOf = (rotations: readonly LifeEvent[]): readonly number[] =>
  [0, ...rotations.map((_, place) => place + 1)].map((secret) => {
    const later = rotations.slice(secret)
    // A secret ends with the overlap of any rotation after it, and with the third one at once.
    return Math.min(
      ...later.map(({ millis, overlapMillis }) => millis + overlapMillis),
      later[2]?.millis ?? Infinity,
      Infinity
    )
  })

/** After the events, and before `until`: at each instant at which something may end, and a millisecond before it, which secrets open the key. */
export const secretsThatOpen = (
  events: readonly LifeEvent[],
  until: number
): readonly { readonly at: number; readonly open: readonly boolean[] }[] => {
  const deletion = events.findIndex(({ what }) => what === "delete")
  const lived = deletion === -1 ? events : events.slice(0, deletion)
  const ends = endsOf(lived.filter(({ what }) => what === "rotate"))
  const expiry = Math.min(
    ...lived.filter(({ what }) => what === "expire").map(({ millis, overlapMillis }) => millis + overlapMillis),
    Infinity
  )
  const isDisabled = lived.findLast(({ what }) => what === "disable" || what === "enable")?.what === "disable"
  const last = events.at(-1)?.millis ?? 0
  const edges = new Set([last, ...[...ends, expiry].flatMap((end) => [end - 1, end])])
  return [...edges]
    .filter((at) => at >= last && (at === last || at < until) && at < Infinity)
    .map((at) => ({
      at,
      open: ends.map((end) => deletion === -1 && !isDisabled && at < expiry && at < end)
    }))
}
