/**
 * The fields of a request that a preset keeps.
 *
 * Rule: presets#kept-fields. Messages, streaming and what belongs to a single request (user, session, metadata, trace) are not kept.
 */

import { fieldsFor } from "../request/requestFields.ts"

const kept: ReadonlySet<string> = new Set(fieldsFor("preset"))

/** How a form of request writes a field in another way than a chat completion, by field. */
export type Translations = Readonly<Record<string, (value: unknown) => unknown>>

/** The kept fields of a request in its order, verbatim unless they are translated; `null` counts as absent. */
export const presetConfig = (sent: object, translations: Translations = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(sent)
      .filter(([name, value]) => kept.has(name) && value !== null)
      .map(([name, value]) => [name, translations[name]?.(value) ?? value])
  )
