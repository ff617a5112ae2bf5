import type { RequestSpan } from "./RequestSpan.ts"
import type { Attribute, AttributeValue } from "./Span.ts"
import { genAiAttributes } from "./genAiAttributes.ts"

const plain = (value: AttributeValue): string | boolean | number | readonly string[] => {
  if ("stringValue" in value) return value.stringValue
  if ("boolValue" in value) return value.boolValue
  if ("doubleValue" in value) return value.doubleValue
  if ("intValue" in value) return Number(value.intValue)
  return value.arrayValue.values.map(({ stringValue }) => stringValue)
}

/** Attributes as a JSON object. Of two with one name the last counts. */
export const asObject = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

/** Bodies are in fields of their own. */
const bodies = new Set(["gen_ai.input.messages", "gen_ai.output.messages"])

/** The attributes of the conventions without the bodies. Where metadata is left out, there is nothing that a caller can make long. */
export const flatAttributes = (request: RequestSpan): Readonly<Record<string, unknown>> =>
  request.leftOut === "metadata"
    ? { "gatewarden.left_out": "metadata" }
    : asObject(genAiAttributes(request).filter(({ key }) => !bodies.has(key)))
