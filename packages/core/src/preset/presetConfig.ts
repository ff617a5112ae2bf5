/**
 * What a preset keeps of a request, exactly as it was sent.
 *
 * Rule: presets#kept-fields. Messages, streaming and what belongs to a single request (user, session, metadata, trace) are not
 * among it.
 */

import { fieldsFor } from "../request/requestFields.ts"

const kept: ReadonlySet<string> = new Set(fieldsFor("preset"))

/** The kept fields of a request as it was sent, in its order; a field that is `null` is as good as absent. */
export const presetConfig = (sent: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(sent).filter(([name, value]) => kept.has(name) && value !== null))
