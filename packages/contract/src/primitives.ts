/**
 * Basic schemas of the contract: ids, times, bounded strings, query numbers and pages.
 *
 * Rule: requests#text-lengths, requests#timestamps, requests#lists.
 */
import * as z from "zod"
import { parseInstant, withPlus } from "./parseInstant.ts"

/** The key under which a schema keeps the JSON Schema that documents it, where zod cannot derive it. */
export const documentedAs = "gatewarden:schema"

const documented = (schema: Record<string, unknown>) => ({ [documentedAs]: schema })

/** Length in Unicode code points, the unit of every string limit (Rule: requests#text-lengths). */
export const codePoints = (text: string): number => {
  let count = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit < 0xdc00) count--
  }
  return count
}

/** A string of `min` to `max` code points. */
export const text = (min: number, max: number) =>
  z
    .string()
    .superRefine((value, context) => {
      // A string of n code points has n to 2n code units, so most strings are decided without counting.
      if (value.length < min || value.length > max * 2 || codePoints(value) > max || codePoints(value) < min)
        context.addIssue({
          code: "custom",
          params: { code: value.length < min ? "too_short" : "too_long" },
          message: `Expected ${min} to ${max} characters`
        })
    })
    .meta(documented({ type: "string", minLength: min, maxLength: max }))

/** Stands as the author for a key without a user, so no user has this id. Rule: access#authors. */
export const noUser = "system"

/** The id of a user, where one enters. */
export const userId = text(1, 256).refine((id) => id !== noUser, {
  message: `\`${noUser}\` stands for keys without a user: expected another id`,
  params: { code: "reserved_user_id" }
})

/** An http or https URL. Its length comes first: a parser takes the square of the length of a host. */
export const httpUrl = z
  .string()
  .max(2_048, { abort: true })
  .check(z.url({ protocol: /^https?$/ }))

export const uuid = z
  .guid()
  .toLowerCase()
  .meta(documented({ type: "string", format: "uuid" }))

/** A path segment that is looked up as it is. Without U+0000, which no name contains and PostgreSQL refuses. */
export const pathName = z
  .string()
  .min(1)
  .refine((name) => !name.includes("\0"), { message: "Contains U+0000", params: { code: "nul_character" } })

/** An instant as it is printed: ISO 8601, UTC, milliseconds, `Z`. */
export const timestamp = z.string().meta(documented({ type: "string", format: "date-time" }))

/** An instant of a request, in any offset. It is read as the same instant in the form of `timestamp`. `reason`: why others are refused. */
export const instant = (reason?: "invalid_time_range") =>
  z
    .string()
    .transform((sent, context) => {
      const millis = parseInstant(sent)
      if (millis !== undefined) return new Date(millis).toISOString()
      context.addIssue({
        code: "custom",
        params: { code: "invalid_timestamp", reason },
        message: "Expected a time with seconds and an offset, such as 2026-01-05T09:30:00Z"
      })
      return z.NEVER
    })
    .meta(documented({ type: "string", format: "date-time" }))

/** An instant in a query string. */
export const queryInstant = z
  .string()
  .overwrite(withPlus)
  .pipe(instant())
  .meta(documented({ type: "string", format: "date-time" }))

/** When a row was created. */
export const createdAt = timestamp.describe("Time of creation, in UTC.")

/** When a row was changed last, of rows that have the time of their creation at first. */
export const updatedAt = timestamp.describe("Time of the last change, in UTC. Initially the time of creation.")

/** When a row was changed last, of rows that have no such time at first. */
export const updatedOrNever = timestamp.nullable().describe("Time of the last change, in UTC. `null`: never changed.")

/** The workspace of a row. */
export const workspaceId = uuid.describe("Id of the workspace that it belongs to.")

/** The workspace of a row that a request creates. */
export const inWorkspace = uuid
  .nullish()
  .describe("Id of the workspace to create it in. Default: the default workspace of the account.")

/** The workspace whose rows a request lists. */
export const ofWorkspace = uuid
  .optional()
  .describe("Id of the workspace whose entries are listed. Default: the default workspace of the account.")

/** A calendar day in UTC, `YYYY-MM-DD`. */
export const day = z.string().meta(documented({ type: "string", format: "date" }))

/** The public identity of an API key: lowercase hex SHA-256 of the whole key. */
export const keyHash = z.string().regex(/^[a-f0-9]{64}$/, "Expected 64 lowercase hexadecimal characters")

/** The ingress region of a request. */
export const Region = z.enum(["global", "europe", "us"])
export type Region = z.output<typeof Region>

/** An amount in USD: finite, 0 to 1e9, at most 9 decimals. */
export const usd = z
  .number()
  .min(0)
  .max(1e9)
  .refine((value) => decimalsOf(value) <= 9, {
    message: "Expected at most 9 decimals",
    params: { code: "too_precise" }
  })

/** Number of decimals in the shortest rendering of a number. */
const decimalsOf = (value: number): number => {
  const [mantissa = "", exponent = "0"] = String(value).split("e")
  return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent))
}

/** An integer in a query string; `default: undefined` leaves an absent one to its operation. */
export const queryInteger = <Default extends number | undefined>(options: {
  min: number
  max?: number
  default: Default
  emptyIsDefault?: boolean
}) =>
  z
    .string()
    .optional()
    .transform((value, context): number | Default => {
      if (value === undefined || (options.emptyIsDefault && (value === "" || value === "null"))) return options.default
      const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      if (number >= options.min && number <= (options.max ?? Number.MAX_SAFE_INTEGER)) return number
      context.addIssue({
        code: "custom",
        params: { code: "invalid_integer" },
        message: `Expected an integer from ${options.min}${options.max === undefined ? "" : ` to ${options.max}`}`
      })
      return z.NEVER
    })
    .meta(
      documented({
        type: "integer",
        minimum: options.min,
        ...(options.max === undefined ? {} : { maximum: options.max }),
        ...(options.default === undefined ? {} : { default: options.default })
      })
    )

/** A number in a query string, as JSON writes it, with at most 9 decimals; empty and `null` are absent. */
export const queryNumber = ({ min, max }: { readonly min: number; readonly max: number }) =>
  z
    .string()
    .optional()
    .transform((value, context): number | undefined => {
      if (value === undefined || value === "" || value === "null") return undefined
      const number = /^\d{1,15}(?:\.\d{1,15})?(?:e-\d{1,2})?$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max && decimalsOf(number) <= 9) return number
      context.addIssue({
        code: "custom",
        params: { code: "invalid_number" },
        message: `Expected a number from ${min} to ${max} with at most 9 decimals`
      })
      return z.NEVER
    })
    .meta(documented({ type: "number", minimum: min, maximum: max }))

/** `true` or `false` in a query string. */
const queryFlagOr = (absent: boolean) =>
  z
    .enum(["true", "false"])
    .optional()
    .transform((value) => (value === undefined ? absent : value === "true"))
    .meta(documented({ type: "boolean", default: absent }))

/** Absent is false. */
export const queryFlag = queryFlagOr(false)

/** Of operations that answer CSV. */
export const csvSafe = queryFlagOr(true).describe(
  "Whether CSV has `'` before a text that a spreadsheet would run as a formula, such as one that begins with `=`. `false`: texts are as recorded."
)

/** Descriptions of the two fields, for lists with other bounds. */
export const pageLimit = "Maximum number of entries on the page."
export const pageOffset = "Number of entries to skip before the page."

/** The query of every list: `limit` 1 to 100, default 50; `offset` of at most 15 digits, where empty and `null` mean 0. */
export const page = {
  limit: queryInteger({ min: 1, max: 100, default: 50 }).describe(pageLimit),
  offset: queryInteger({ min: 0, max: 999_999_999_999_999, default: 0, emptyIsDefault: true }).describe(pageOffset)
}

/** `null` counts as absent. */
export const orAbsent = <S extends z.ZodType>(schema: S) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional()

/** The entries of a list. */
export const entriesOf = <T extends z.ZodType>(item: T) =>
  z.array(item).describe("The entries of the list or of its page.")

/** A page of a list. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: entriesOf(item),
    total_count: z.int().describe("Number of entries that match the request on all pages together.")
  })

/** A single object, wrapped as every single-object answer is. The object has a description of its own. */
export const dataOf = <T extends z.ZodType>(item: T) => z.object({ data: item })

/** Distinct entries in the order sent, 1 to `max` of them as sent. */
export const distinct = <T extends z.ZodType<string>>(item: T, max: number) =>
  z
    .array(item)
    .min(1)
    .max(max)
    .overwrite((items) => [...new Set(items)])

/** The answer of a deletion. */
export const Deleted = z.object({
  deleted: z.literal(true).describe("Always `true`: the object no longer exists.")
})
