/**
 * The fields of a request that a preset keeps, verbatim.
 *
 * Rule: presets#kept-fields. Messages, streaming and what belongs to a single request (user, session, metadata, trace) are not kept.
 */

import { fieldsFor } from "../request/requestFields.ts"

const kept: ReadonlySet<string> = new Set(fieldsFor("preset"))

/** The kept fields of a request as it was sent, in its order; `null` counts as absent. */
export const presetConfig = (sent: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(sent).filter(([name, value]) => kept.has(name) && value !== null))
