/**
 * The key of an object under a template of a destination's config.
 *
 * Values are put in once, so braces within a value are text. A value is one segment, except for the prefix; and no segment is empty or leads
 * upwards. Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html (at most 1,024 bytes).
 */
import { wellFormed } from "../../value/text.ts"

export interface KeyValues {
  readonly prefix: string
  /** When the request was made: ISO 8601, UTC. */
  readonly created_at: string
  readonly apiKeyName: string | null
}

const utf8 = new TextEncoder()
const longestKey = 1024
const longestName = 128

const isVariable = (name: string): name is "prefix" | "date" | "year" | "month" | "day" | "apiKeyName" =>
  /^(?:prefix|date|year|month|day|apiKeyName)$/.test(name)

/** Without what separates segments, and without control characters. */
const asSegment = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  Array.from(text.replace(/[/\\\u0000-\u001f\u007f]/g, "_"))
    .slice(0, longestName)
    .join("")

const readable = (segment: string): string =>
  // eslint-disable-next-line no-control-regex
  (/^\.+$/.test(segment) ? segment.replaceAll(".", "_") : segment).replace(/[\\\u0000-\u001f\u007f]/g, "_")

/** As many whole segments as fit. */
const shortened = (segments: readonly string[], room: number): string => {
  let folder = ""
  for (const segment of segments) {
    const longer = `${folder}${segment}/`
    if (utf8.encode(longer).length > room) break
    folder = longer
  }
  return folder
}

export const objectKey = (template: string, { prefix, created_at, apiKeyName }: KeyValues, name: string): string => {
  const [year = "", month = "", day = ""] = created_at.slice(0, 10).split("-")
  const values = {
    prefix,
    date: `${year}-${month}-${day}`,
    year,
    month,
    day,
    apiKeyName: asSegment(apiKeyName ?? "") || "unknown"
  }
  const filled = template.replace(/\{(\w+)\}/g, (whole, variable: string) =>
    isVariable(variable) ? values[variable] : whole
  )
  const segments = filled
    .split("/")
    .map((segment) => wellFormed(readable(segment)))
    .filter((segment) => segment !== "")
  return shortened(segments, longestKey - utf8.encode(name).length) + name
}
