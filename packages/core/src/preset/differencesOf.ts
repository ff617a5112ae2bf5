import type { PresetDifference, PresetVersion } from "@gatewarden/contract"
import { Equal } from "effect"
import { compareText } from "../value/compareText.ts"

type Content = Pick<PresetVersion, "config" | "system_prompt">

/** A config holds no field of this name, nor any `null`: `requestFields`. */
const fieldsOf = ({ config, system_prompt }: Content): ReadonlyMap<string, unknown> =>
  new Map([...Object.entries(config), ["system_prompt", system_prompt]])

/**
 * The fields whose values differ, by name. A field is compared as a whole, as a merge replaces it; the order of keys does not count.
 *
 * Rule: presets#comparing-versions.
 */
export const differencesOf = (from: Content, to: Content): PresetDifference[] => {
  const [before, after] = [fieldsOf(from), fieldsOf(to)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort(compareText)
    .map((field) => ({ field, from: before.get(field) ?? null, to: after.get(field) ?? null }))
    .filter((difference) => !Equal.equals(difference.from, difference.to))
}
