/**
 * The preset and the model that a request refers to.
 *
 * Rule: presets#references: `@preset/slug` as the model, `model@preset/slug`, or the field `preset`; `slug:VERSION`
 * pins a version, otherwise the designated one applies.
 */
import { presetSlugPattern, presetVersionPattern } from "@gatewarden/contract/internal"

export interface PresetReference {
  readonly slug: string
  /** `null`: the designated version. */
  readonly version: number | null
  /** The model that the request itself names; undefined if the preset names it. */
  readonly model: string | undefined
}

export type FoundReference =
  | { readonly kind: "none" }
  | { readonly kind: "preset"; readonly reference: PresetReference }
  /** The field is not a reference, or contradicts the other field. */
  | { readonly kind: "malformed"; readonly field: "model" | "preset" }

const marker = "@preset/"

const pinOf = (name: string): Pick<PresetReference, "slug" | "version"> | undefined => {
  const [slug = "", version, ...more] = name.split(":")
  if (more.length > 0 || !presetSlugPattern.test(slug)) return undefined
  if (version === undefined) return { slug, version: null }
  return presetVersionPattern.test(version) ? { slug, version: Number(version) } : undefined
}

export const presetReference = (request: {
  readonly model?: string | undefined
  readonly preset?: string | undefined
}): FoundReference => {
  const { model, preset } = request
  const at = model?.indexOf(marker) ?? -1
  const inModel = at === -1 ? undefined : pinOf(model?.slice(at + marker.length) ?? "")
  if (at !== -1 && inModel === undefined) return { kind: "malformed", field: "model" }
  const inField = preset === undefined ? undefined : pinOf(preset)
  if (preset !== undefined && inField === undefined) return { kind: "malformed", field: "preset" }
  const pin = inField ?? inModel
  if (pin === undefined) return { kind: "none" }
  if (inModel !== undefined && (inModel.slug !== pin.slug || inModel.version !== pin.version))
    return { kind: "malformed", field: "preset" }
  const named = at === -1 ? model : model?.slice(0, at)
  return { kind: "preset", reference: { ...pin, model: named === "" ? undefined : named } }
}
