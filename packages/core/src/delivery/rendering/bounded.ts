import type { Attribute } from "./Span.ts"

/** Without half a surrogate pair at the end. */
const cut = (value: string, longest: number): string =>
  value.length <= longest ? value : value.slice(0, longest).replace(/[\ud800-\udbff]$/, "")

/** The longest name of an attribute that any of the platforms keeps. */
const longestKey = 255

/** More would be tags of classifiers, whose number nothing bounds. */
const mostAttributes = 200

/** Cuts names and values to what a platform keeps, so that it does not drop the span for them. */
export const bounded = (attributes: readonly Attribute[], longest: number): readonly Attribute[] =>
  attributes.slice(0, mostAttributes).map(({ key, value }) => ({
    key: cut(key, longestKey),
    value:
      "stringValue" in value
        ? { stringValue: cut(value.stringValue, longest) }
        : "arrayValue" in value
          ? {
              arrayValue: {
                values: value.arrayValue.values
                  .slice(0, 64)
                  .map(({ stringValue }) => ({ stringValue: cut(stringValue, longest) }))
              }
            }
          : value
  }))
