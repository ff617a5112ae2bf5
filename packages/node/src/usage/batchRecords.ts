/** Puts the records of a file together to what is recorded at once, and tells how far into the file each batch goes. */
import { createHash } from "node:crypto"
import { readEvent, type ReportedRecord } from "./readEvent.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** How far an import has come: a number of records, and a digest that tells whether a file still begins with them. */
export interface Position {
  readonly records: number
  /** Lowercase hex SHA-256 of the records, a line feed after each. */
  readonly sha256: string
}

export interface Reject {
  readonly line: number
  readonly reason: string
  readonly record: SourceRecord
}

export interface Batch {
  readonly events: readonly ReportedRecord[]
  /** The record of each event. */
  readonly records: readonly SourceRecord[]
  readonly rejects: readonly Reject[]
  /** Where the file stands after the batch. */
  readonly end: Position
}

/** The file does not begin with what was imported before. */
export class FileChanged extends Error {}

const maxRecords = 2_000
const maxBytes = 4_194_304

/** Batches of what comes after `from`. Throws `FileChanged` when the file is not the one that got so far. */
export async function* batchRecords(
  chunks: AsyncIterable<readonly SourceRecord[]>,
  source: string,
  from: Position | undefined
): AsyncGenerator<Batch> {
  const digest = createHash("sha256")
  const due = from?.records ?? 0
  let count = 0
  let batch = emptyBatch()
  const close = (): Batch => {
    const closed = { ...batch, end: { records: count, sha256: digest.copy().digest("hex") } }
    batch = emptyBatch()
    return closed
  }
  for await (const records of chunks)
    for (const record of records) {
      count++
      digest.update(record.bytes).update("\n")
      if (count < due) continue
      if (count === due) {
        if (close().end.sha256 !== from?.sha256) throw new FileChanged()
        continue
      }
      const read = readEvent(record, source)
      if ("event" in read) {
        batch.events.push(read.event)
        batch.records.push(record)
      } else batch.rejects.push({ line: record.line, reason: read.reason, record })
      batch.bytes += record.bytes.length
      if (batch.events.length + batch.rejects.length >= maxRecords || batch.bytes >= maxBytes) yield close()
    }
  if (count < due) throw new FileChanged()
  if (batch.bytes > 0) yield close()
}

const emptyBatch = () => ({
  events: [] as ReportedRecord[],
  records: [] as SourceRecord[],
  rejects: [] as Reject[],
  bytes: 0
})
