import { createHash } from "node:crypto"
import type { SourceRecord } from "./SourceRecord.ts"

/** What is sent as a usage event, for the store's side to judge. */
export type ReportedRecord = Readonly<Record<string, unknown>>

export type ReadEvent = { readonly event: ReportedRecord } | { readonly reason: string }

/**
 * The event of a record, without bodies, which are not imported. One without an id gets one from `source`, the number of its line
 * and what it says, so that it has the same one whenever the file is read.
 */
export const readEvent = (record: SourceRecord, source: string): ReadEvent => {
  const read = record.read()
  if (!read.ok) return { reason: read.reason }
  const { value } = read
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "Expected an object" }
  const { input: _, output: __, ...event } = value as ReportedRecord
  return { event: event["id"] == null ? { ...event, id: idOf(record, source) } : event }
}

const idOf = ({ line, bytes }: SourceRecord, source: string): string =>
  `line-${createHash("sha256").update(`${source}\0${line}\0`).update(bytes).digest("hex")}`
