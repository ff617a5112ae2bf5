/**
 * CSV as RFC 4180 has it, in UTF-8, with a header.
 *
 * A quoted cell may hold line breaks. A quote that is never closed spoils its own line only: the lines after it are read anew, as
 * they would be if it were not there.
 */
import { textOfSafeCell } from "@gatewarden/core/internal"
import { parse } from "csv-parse/sync"
import { failed, type Failed } from "../failure/Failed.ts"
import { eventOfCells, type Header, readHeader } from "./csvFields.ts"
import { isBlank } from "./readNdjson.ts"
import { type ReadRecord, type SourceRecord, unreadable } from "./SourceRecord.ts"
import { type Line, maxLineBytes } from "./splitLines.ts"

const quote = 0x22
const lineFeed = Buffer.of(0x0a)
const returnAndLineFeed = Buffer.of(0x0d, 0x0a)

const hasOddQuotes = (bytes: Buffer): boolean => {
  let odd = false
  for (let at = bytes.indexOf(quote); at !== -1; at = bytes.indexOf(quote, at + 1)) odd = !odd
  return odd
}

type Cells = { readonly ok: true; readonly cells: readonly string[] } | Extract<ReadRecord, { ok: false }>

/** Without a quote a record is cut at its commas, which is most of them and a tenth of the work. */
const cellsOf = (bytes: Buffer): Cells => {
  const text = bytes.toString("utf8")
  if (text.includes("\ufffd")) return { ok: false, reason: "The record is not valid UTF-8" }
  if (!bytes.includes(quote)) return { ok: true, cells: text.split(",") }
  try {
    const [cells, more] = parse(text, { relax_column_count: true })
    return cells === undefined || more !== undefined
      ? { ok: false, reason: "A quote is misplaced" }
      : { ok: true, cells }
  } catch (cause) {
    return { ok: false, reason: cause instanceof Error ? cause.message.replace(/ at line \d+/, "") : "Not valid CSV" }
  }
}

/** Fails with what is wrong with the header; `warn` is told what of it is ignored. */
export async function* readCsv(
  chunks: AsyncIterable<readonly Line[]>,
  isSafe: boolean,
  warn: (line: string) => void
): AsyncGenerator<readonly SourceRecord[], void, undefined> {
  let header: Header | undefined
  for await (const records of assembled(chunks)) {
    const due: SourceRecord[] = []
    for (const { line, bytes, cells } of records) {
      if (header === undefined) {
        header = headerOf(cells())
        header.warnings.forEach(warn)
        continue
      }
      const known = header
      due.push({ line, bytes, read: () => eventOf(known, cells(), isSafe) })
    }
    yield due
  }
}

const headerOf = (cells: Cells): Header => {
  const header = cells.ok ? readHeader(cells.cells) : { problem: cells.reason }
  if ("problem" in header) throw notCsv(header.problem)
  return header
}

const notCsv = (problem: string): Failed => failed("file", problem)

const eventOf = (header: Header, cells: Cells, isSafe: boolean): ReadRecord => {
  if (!cells.ok) return cells
  if (cells.cells.length > header.names.length)
    return unreadable(`The record has ${cells.cells.length} cells, the header ${header.names.length}`)
  return { ok: true, value: eventOfCells(header, isSafe ? cells.cells.map(textOfSafeCell) : cells.cells) }
}

interface CsvRecord {
  readonly line: number
  readonly bytes: Buffer
  readonly cells: () => Cells
}

/** Puts the lines of a record together: one has as many as it takes to close its quotes. */
async function* assembled(chunks: AsyncIterable<readonly Line[]>): AsyncGenerator<readonly CsvRecord[]> {
  let open: Line[] = []
  let openBytes = 0
  let records: CsvRecord[] = []

  const single = ({ number, bytes }: Line, cells: () => Cells): void =>
    void records.push({ line: number, bytes, cells })
  const spoilt = (line: Line, reason: string): void => {
    const rest = open.slice(1)
    open = []
    openBytes = 0
    single(line, () => ({ ok: false, reason }))
    for (const next of rest) take(next)
  }
  const take = (line: Line): void => {
    if (open.length === 0 && line.isTooLong)
      return single(line, () => ({ ok: false, reason: `The record is longer than ${maxLineBytes} bytes` }))
    const isOdd = hasOddQuotes(line.bytes)
    if (open.length === 0 && !isOdd) {
      if (!isBlank(line.bytes)) single(line, () => cellsOf(line.bytes))
      return
    }
    open.push(line)
    openBytes += line.bytes.length + 2
    const [first] = open
    if (first === undefined || (open.length === 1 && isOdd)) return
    if (openBytes > maxLineBytes) return spoilt(first, "A quote is not closed")
    if (!isOdd) return
    const parts = open.flatMap(({ bytes, hasReturn }) => [bytes, hasReturn ? returnAndLineFeed : lineFeed])
    const bytes = Buffer.concat(parts.slice(0, -1))
    const cells = cellsOf(bytes)
    if (!cells.ok) return spoilt(first, cells.reason)
    open = []
    openBytes = 0
    records.push({ line: first.number, bytes, cells: () => cells })
  }

  for await (const lines of chunks) {
    for (const line of lines) take(line)
    yield records
    records = []
  }
  for (let [first] = open; first !== undefined; [first] = open) spoilt(first, "A quote is not closed")
  yield records
}
