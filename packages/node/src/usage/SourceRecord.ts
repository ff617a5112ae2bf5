/** A record of a file as it stands there: a line of NDJSON, or the line or lines of a CSV record. */
export interface SourceRecord {
  /** Of its first line, from 1. */
  readonly line: number
  /** What it says, without the end of its last line. */
  readonly bytes: Buffer
  /** The value that it stands for, or why it stands for none. Called when the record is due, which a skipped one never is. */
  readonly read: () => ReadRecord
}

export type ReadRecord =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

export const unreadable = (reason: string): ReadRecord => ({ ok: false, reason })
