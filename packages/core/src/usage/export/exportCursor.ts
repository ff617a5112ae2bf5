/** The cursor of an export: the place of the event before the page, and the end of the export, which its first page chose. */
import { base64url, fromBase64url } from "../../value/base64url.ts"
import { formatInstant } from "../../value/timestamp.ts"
import type { HistoryPlace } from "../../ports/usage.ts"

export interface ExportCursor {
  readonly place: HistoryPlace
  /** ISO 8601 in UTC with milliseconds. */
  readonly end: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

const maxIdLength = 256

export const printCursor = ({ place, end }: ExportCursor): string =>
  base64url(encoder.encode(JSON.stringify([Date.parse(place.created_at), Date.parse(end), place.id])))

/** Undefined for a text that no answer had. */
export const readCursor = (text: string): ExportCursor | undefined => {
  const bytes = fromBase64url(text)
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    if (!Array.isArray(value) || value.length !== 3) return undefined
    const [created, end, id] = value as readonly unknown[]
    return isInstant(created) && isInstant(end) && isId(id)
      ? { place: { created_at: formatInstant(created), id }, end: formatInstant(end) }
      : undefined
  } catch {
    return undefined
  }
}

/** Years 0 to 9999, which have four digits. */
const isInstant = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= -62_167_219_200_000 && (value as number) < 253_402_300_800_000

const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= maxIdLength && !value.includes("\0")
