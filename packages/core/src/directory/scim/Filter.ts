/** A filter that was parsed, its names resolved. Source: RFC 7644 3.4.2.2. */
import type { ScimAttribute } from "@gatewarden/contract"
import type { AttributePath } from "./ResourceKind.ts"

export const comparisons = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const
export type Comparison = (typeof comparisons)[number]

export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | { readonly kind: "present"; readonly path: AttributePath }
  /** One value of an attribute satisfies all of the filter, whose paths are within the value. */
  | { readonly kind: "some"; readonly path: AttributePath; readonly filter: Filter }
  | {
      readonly kind: "compare"
      readonly comparison: Comparison
      readonly path: AttributePath
      /** The attribute whose values are compared. */
      readonly compared: ScimAttribute
      readonly value: string | boolean | null
    }

/** The path of a PATCH operation. */
export interface SelectedPath extends AttributePath {
  /** Selects values of an attribute that may have several. */
  readonly filter: Filter | undefined
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }
