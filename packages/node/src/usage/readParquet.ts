/**
 * Usage events of a Parquet file, a row group at a time.
 *
 * Integers and decimals stay exact. A null is an absent field. Columns have the names of the fields of an event, as those of a CSV file have;
 * a part of `cost_components` may be a column, `cost_components_<name>`, as in an export.
 */
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement
} from "hyparquet"
import { compressors } from "hyparquet-compressors"
import { open } from "node:fs/promises"
import { failed } from "../failure/Failed.ts"
import { eventOfValues, isField, readHeader } from "./csvFields.ts"
import { type SourceRecord, unreadable } from "./SourceRecord.ts"

export interface ParquetInput {
  readonly records: AsyncIterable<readonly SourceRecord[]>
  /** Bytes read so far; the end of the file is read first. */
  readonly taken: () => number
  readonly size: number
  readonly close: () => Promise<void>
}

const prefix = /^cost_components_/

/** Rejects as the file system does, and with `Failed` for what is no Parquet file. */
export const openParquetInput = async (path: string, warn: (line: string) => void): Promise<ParquetInput> => {
  const handle = await open(path, "r")
  try {
    const { size } = await handle.stat()
    let taken = 0
    const file: AsyncBuffer = {
      byteLength: size,
      slice: async (start, end = size) => {
        const bytes = new Uint8Array(end - start)
        let read = 0
        while (read < bytes.length) {
          const { bytesRead } = await handle.read(bytes, read, bytes.length - read, start + read)
          if (bytesRead === 0) throw failed("file", `${path} became shorter while it was read`)
          read += bytesRead
        }
        taken = Math.min(size, taken + read)
        return bytes.buffer
      }
    }
    const metadata = await metadataOf(file, path)
    const columns = fieldsOf(metadata)
    const header = readHeader(columns.map(({ field }) => field))
    if ("problem" in header) throw failed("file", header.problem)
    header.warnings.forEach(warn)
    return { records: readGroups(file, metadata, columns), taken: () => taken, size, close: () => handle.close() }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

const metadataOf = async (file: AsyncBuffer, path: string): Promise<FileMetaData> => {
  try {
    return await parquetMetadataAsync(file)
  } catch {
    throw failed("file", `${path} is no Parquet file`)
  }
}

interface Column {
  /** In the file. */
  readonly name: string
  /** Of an event. */
  readonly field: string
  readonly read: (value: unknown) => unknown
}

/** The columns of the outermost level. Decimals lose their annotation, so that they are handed out as they lie in the file. */
const fieldsOf = ({ schema }: FileMetaData): readonly Column[] => {
  let next = 0
  const take = (): Column => {
    const element = schema[next++] ?? { name: "" }
    const children = Array.from({ length: element.num_children ?? 0 }, take)
    const { name } = element
    return { name, field: name.replace(prefix, "cost_components."), read: reading(element, children) }
  }
  const root = schema[next++]
  return Array.from({ length: root?.num_children ?? 0 }, take)
}

const reading = (element: SchemaElement, children: readonly Column[]): Column["read"] => {
  if (element.converted_type === "DECIMAL" || element.logical_type?.type === "DECIMAL") {
    const scale = element.scale ?? 0
    delete element.converted_type
    delete element.logical_type
    return (value) => decimalOf(value, scale)
  }
  if (children.length === 0) return plain
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return plain(value)
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        (children.find((child) => child.name === name)?.read ?? plain)(part)
      ])
    )
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** As JSON has it. An integer that no double holds stays a text, and is refused as one. */
const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "no time" : value.toISOString()
  if (value instanceof Uint8Array) return decoder.decode(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

/** A decimal text of an unscaled integer, in bytes the most significant first. */
const decimalOf = (value: unknown, scale: number): unknown => {
  if (value === null || value === undefined) return value
  const unscaled = value instanceof Uint8Array ? integerOf(value) : BigInt(value as number | bigint)
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0")
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/(?<!0)0+$/, "")
  return `${unscaled < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

const integerOf = (bytes: Uint8Array): bigint =>
  BigInt.asIntN(
    bytes.length * 8,
    bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  )

/** Rows of one answer. */
const rowsAtOnce = 500

async function* readGroups(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly Column[]
): AsyncGenerator<readonly SourceRecord[]> {
  const known = columns.filter(({ field }) => isField(field))
  let first = 0
  for (const group of metadata.row_groups) {
    const end = first + Number(group.num_rows)
    const rows = await parquetReadObjects({
      ...{ file, metadata, compressors, utf8: false, rowStart: first, rowEnd: end },
      columns: known.map(({ name }) => name)
    })
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      yield rows.slice(from, from + rowsAtOnce).map((row, index) => recordOf(known, row, first + from + index + 1))
    first = end
  }
}

/** `line` is the number of the row, from 1. */
const recordOf = (columns: readonly Column[], row: Readonly<Record<string, unknown>>, line: number): SourceRecord => {
  try {
    const value = eventOfValues(columns.map(({ name, field, read }) => [field, read(row[name])]))
    return { line, bytes: Buffer.from(JSON.stringify(value)), read: () => ({ ok: true, value }) }
  } catch {
    return { line, bytes: Buffer.from(`row ${line}`), read: () => unreadable("The row is not valid UTF-8") }
  }
}
