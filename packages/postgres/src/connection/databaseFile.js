import { Buffer } from "node:buffer"
import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"

// @ts-check
/**
 * The directory of a database as one compressed file, and a new database from it. Plain JavaScript, because the worker of PGlite reads it.
 *
 * Each content lies in the file once, without the zeros at its end: a new database has its tables of the system three times over, and a
 * log that is mostly empty. What PostgreSQL makes up for each database at random is made up again for each that comes of the file.
 */

/**
 * @typedef {object} StoredFile
 * @property {string} path
 * @property {number} size
 * @property {number} at Where its content begins behind the list.
 * @property {number} stored Bytes of its content that are there; zeros follow.
 *
 * @typedef {{ readonly directories: readonly string[]; readonly files: readonly StoredFile[] }} Contents
 */

/** `pg_control` of PostgreSQL 18 (pg_control.h): where it has what is looked at here, in bytes. */
const control = { path: "global/pg_control", version: 1800, versionAt: 8, identifier: 8, nonceAt: 257, checksumAt: 292 }
const nonceBytes = 32
/** Of a segment of the log whose first page names the database that it is of (xlog_internal.h). */
const log = { folder: "pg_wal/", flagsAt: 2, longHeader: 2, identifierAt: 24 }
/** It says that a directory has a database, so it comes last. */
const last = "PG_VERSION"

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0x82f63b78 : 0)
  return value
})

/** CRC-32C. @type {(bytes: Uint8Array) => number} */
const checksumOf = (bytes) => {
  let value = 0xffffffff
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}

/** @type {(bytes: Buffer) => Buffer} */
const withoutZeros = (bytes) => {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

/** The directory of a database that is closed, as a file. Throws for a PostgreSQL whose `pg_control` is not known here. @type {(directory: string) => Buffer} */
export const packDatabase = (directory) => {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const pathOf = (/** @type {import("node:fs").Dirent} */ { parentPath, name }) =>
    join(parentPath, name).slice(directory.length + 1)
  const directories = entries.filter((entry) => entry.isDirectory()).map(pathOf)
  const paths = entries.filter((entry) => entry.isFile()).map(pathOf)
  /** @type {Map<string, number>} */
  const places = new Map()
  /** @type {Buffer[]} */
  const contents = []
  let length = 0
  const files = [...paths.filter((path) => path !== last), last].map((path) => {
    const bytes = readFileSync(join(directory, path))
    if (path === control.path) requireKnown(bytes)
    const content = withoutZeros(bytes)
    const digest = createHash("sha256").update(content).digest("hex")
    const at = places.get(digest) ?? length
    if (at === length) {
      places.set(digest, at)
      contents.push(content)
      length += content.length
    }
    return { path, size: bytes.length, at, stored: content.length }
  })
  const list = Buffer.from(JSON.stringify(/** @satisfies {Contents} */ ({ directories: directories.sort(), files })))
  const head = Buffer.alloc(4)
  head.writeUInt32LE(list.length)
  return gzipSync(Buffer.concat([head, list, ...contents]), { level: 9 })
}

/** @type {(bytes: Buffer) => void} */
const requireKnown = (bytes) => {
  const { version, versionAt, checksumAt } = control
  const found = bytes.readUInt32LE(versionAt)
  if (found !== version || bytes.readUInt32LE(checksumAt) !== checksumOf(bytes.subarray(0, checksumAt)))
    throw new Error(`A database whose pg_control is of version ${found} cannot be prepared, only ${version}`)
}

/**
 * What a new database has that is made of a file. Each has an identifier of its own.
 *
 * @type {(file: string) => { readonly directories: readonly string[]; readonly files: readonly { readonly path: string; readonly size: number; readonly content: Buffer }[] }}
 */
const newDatabase = (file) => {
  const bytes = gunzipSync(readFileSync(file))
  const start = 4 + bytes.readUInt32LE(0)
  /** @type {Contents} */
  const { directories, files } = JSON.parse(bytes.subarray(4, start).toString())
  const identifier = randomBytes(control.identifier)
  return {
    directories,
    files: files.map(({ path, size, at, stored }) => ({
      path,
      size,
      content: ownContent(path, bytes.subarray(start + at, start + at + stored), identifier)
    }))
  }
}

/**
 * Makes a database of a file in a directory that exists and has none. One that is left half-way has none either.
 *
 * @type {(file: string, directory: string) => void}
 */
export const unpackDatabase = (file, directory) => {
  const { directories, files } = newDatabase(file)
  for (const path of directories) mkdirSync(join(directory, path), { recursive: true, mode: 0o700 })
  for (const { path, size, content } of files) {
    if (size === content.length) writeFileSync(join(directory, path), content, { mode: 0o600 })
    else writeExtended(join(directory, path), content, size)
  }
}

/** Of a tar archive. */
const block = 512

/** The header of a file or directory in a tar archive (POSIX ustar). @type {(path: string, size: number, type: "file" | "directory") => Buffer} */
const tarHeader = (path, size, type) => {
  const octal = (/** @type {number} */ value, /** @type {number} */ digits) => value.toString(8).padStart(digits, "0")
  const header = Buffer.alloc(block)
  header.write(path, 0)
  header.write(octal(type === "file" ? 0o600 : 0o700, 7), 100)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(" ".repeat(8), 148)
  header.write(type === "file" ? "0" : "5", 156)
  header.write("ustar\u000000", 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** A new database of a file as a tar archive, for a file system in memory. @type {(file: string) => Buffer<ArrayBuffer>} */
export const databaseArchive = (file) => {
  const { directories, files } = newDatabase(file)
  const endOf = (/** @type {number} */ at, /** @type {number} */ size) => at + block + Math.ceil(size / block) * block
  const length = files.reduce((at, { size }) => endOf(at, size), directories.length * block)
  // Two empty blocks end it.
  const archive = Buffer.alloc(length + 2 * block)
  let at = 0
  for (const path of directories) at += tarHeader(`${path}/`, 0, "directory").copy(archive, at)
  for (const { path, size, content } of files) {
    tarHeader(path, size, "file").copy(archive, at)
    content.copy(archive, at + block)
    at = endOf(at, size)
  }
  return archive
}

/** @type {(path: string, bytes: Buffer, size: number) => void} */
const writeExtended = (path, bytes, size) => {
  const file = openSync(path, "w", 0o600)
  try {
    writeSync(file, bytes)
    ftruncateSync(file, size)
  } finally {
    closeSync(file)
  }
}

/** A content with what is this database's alone. @type {(path: string, content: Buffer, identifier: Buffer) => Buffer} */
const ownContent = (path, content, identifier) => {
  if (path === control.path) {
    const own = Buffer.from(content)
    identifier.copy(own, 0)
    randomBytes(nonceBytes).copy(own, control.nonceAt)
    own.writeUInt32LE(checksumOf(own.subarray(0, control.checksumAt)), control.checksumAt)
    return own
  }
  const isSegment =
    path.startsWith(log.folder) && content.length > 32 && (content.readUInt16LE(log.flagsAt) & log.longHeader) !== 0
  if (!isSegment) return content
  const own = Buffer.from(content)
  identifier.copy(own, log.identifierAt)
  return own
}
