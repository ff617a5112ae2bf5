/**
 * The shape of a destination type: the fields of its config, their defaults, and which are secret.
 *
 * Rule: observability#destination-types.
 */
import * as z from "zod"
import { documentedAs } from "../primitives.ts"

/** How a secret is shown: `abbreviated` with an ellipsis, or as `asterisks`, which show no part of it. */
export type SecretRendering = "abbreviated" | "asterisks"

export interface DestinationTypeOf<Type extends string = string, Config extends z.ZodObject = z.ZodObject> {
  /** The wire value of `type`. */
  readonly type: Type
  readonly config: Config
  /** The values of `headers` are secret in every type, and are not listed. */
  readonly secrets: { readonly [Field in keyof z.output<Config> & string]?: SecretRendering }
}

/** Declares a destination type. A secret that is not a field of its config does not compile. */
export const destinationType = <const Type extends string, Config extends z.ZodObject>(
  declaration: DestinationTypeOf<Type, Config>
) => declaration

/** A required field of a config. */
export const required = z.string().min(1)

/** No platform has a longer address. */
export const longestAddress = 2_048

/** A URL or a host in a config. */
export const address = z.string().max(longestAddress)
export const requiredAddress = required.max(longestAddress)

/** Fields that several types have. */
export const apiKey = required.describe("API key of the platform, with the right to write.")
export const baseUrl = (own: string) => address.default(own).describe("Base URL of the platform's API.")
export const table = z
  .string()
  .default("GATEWARDEN_TRACES")
  .describe("Name of the table that receives one row for each event.")

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** What a header can carry: no line break or other control character, no code point beyond a byte. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

const maxHeaders = 64

/** Neither names nor values are repeated in an issue: a header in the wrong place may be a credential. */
const headersProblem = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "Expected an object of strings"
  const entries = Object.entries(value)
  if (entries.length > maxHeaders) return `Expected at most ${maxHeaders} headers`
  for (const [name, text] of entries) {
    if (!headerName.test(name)) return "Expected header names of letters, digits and !#$%&'*+.^_`|~-"
    if (typeof text !== "string") return "Expected an object of strings"
    if (!headerValue.test(text)) return "Expected header values without control characters, of one byte a character"
  }
  return undefined
}

/** Custom HTTP headers of the requests to a destination. Not a record: that would drop a header called `__proto__`. */
export const headers = z
  .custom<Record<string, string>>()
  .superRefine((value, context) => {
    const message = headersProblem(value)
    if (message !== undefined) context.addIssue({ code: "custom", params: { code: "invalid_headers" }, message })
  })
  .meta({
    [documentedAs]: {
      type: "object",
      additionalProperties: { type: "string" },
      maxProperties: maxHeaders,
      description: "Custom HTTP headers of the requests to this destination."
    }
  })
  .optional()
