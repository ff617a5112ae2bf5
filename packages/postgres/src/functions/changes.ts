import type { Acting, ActingEach } from "@gatewarden/core/store"

/**
 * How a write names its actor to the triggers that record it: in the setting `gatewarden.acting`, which lasts as long as the transaction.
 *
 * It is the JSON of one actor, or of several, each after a separator, the id of what it changes and another separator: no separator occurs
 * in JSON. A trigger cuts out its own without parsing the others.
 *
 * Rule: audit#actors.
 */
export const actingText = (acts: Acting | ActingEach): string =>
  "each" in acts
    ? Array.from(acts.each, ([id, acting]) => `\u001e${id}\u001f${JSON.stringify(acting)}`).join("")
    : JSON.stringify(acts)
