import { FirstBytes, LastBytes, extensionOf } from "./file.ts"

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endLength = 22
const entryLength = 46
const maxCommentLength = 65_535

/**
 * The names of the entries of a ZIP archive, from its central directory.
 *
 * Source: PKWARE APPNOTE 4.3. Nothing is decompressed. Archives of more than 65,535 entries or 4 GiB (Zip64) are not read.
 *
 * Empty when the bytes are no archive whose directory can be read to its end.
 *
 * @param bytes the archive, or its end
 * @param skipped how many bytes of the archive come before those
 */
export const zipNames = (bytes: Uint8Array, skipped = 0): readonly string[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = endOfDirectory(view)
  if (end === undefined) return []
  const count = view.getUint16(end + 10, true)
  const names: string[] = []
  let at = view.getUint32(end + 16, true) - skipped
  if (at < 0) return []
  for (let index = 0; index < count; index++) {
    if (at + entryLength > end || view.getUint32(at, true) !== entrySignature) return []
    const nameLength = view.getUint16(at + 28, true)
    const next = at + entryLength + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > end) return []
    names.push(new TextDecoder().decode(bytes.subarray(at + entryLength, at + entryLength + nameLength)))
    at = next
  }
  return names
}

/** The record lies before a comment of unknown length, so it is looked for from the end. */
const endOfDirectory = (view: DataView): number | undefined => {
  const first = Math.max(0, view.byteLength - endLength - maxCommentLength)
  for (let at = view.byteLength - endLength; at >= first; at--)
    if (view.getUint32(at, true) === endSignature && at + endLength + view.getUint16(at + 20, true) === view.byteLength)
      return at
  return undefined
}

const openXml = "application/vnd.openxmlformats-officedocument"

/** The parts of a content that the detection needs, at most some 600 kB. */
export class Sniffer {
  readonly #extension: string
  /** Bytes so far. */
  size = 0
  #head = new FirstBytes(signatureSize)
  #tail: LastBytes | undefined
  #text: TextCheck | undefined
  #isBegun = false

  /** @param name of the file */
  constructor(name: string) {
    this.#extension = extensionOf(name)
  }

  push(chunk: Uint8Array): void {
    this.size += chunk.length
    this.#head.push(chunk)
    if (this.#isBegun) {
      this.#tail?.push(chunk)
      this.#text?.push(chunk)
    } else if (this.size >= signatureSize) this.#begin(chunk)
  }

  /** Looks closer at what its signature does not tell. `last`: what came after the bytes that the head has alone. */
  #begin(last: Uint8Array): void {
    this.#isBegun = true
    const head = this.#head.bytes
    const rest = last.subarray(last.length - (this.size - head.length))
    if (binaryType(head) !== undefined) return
    if (isZip(head)) this.#tail = new LastBytes(maxDirectorySize)
    else {
      this.#text = new TextCheck()
      this.#tail = new LastBytes(chunkSize)
      this.#head = new FirstBytes(parsedSize)
    }
    for (const part of [head, rest]) {
      this.#tail.push(part)
      this.#text?.push(part)
      if (this.#text !== undefined) this.#head.push(part)
    }
  }

  /** The media type; undefined if the type is not accepted. Call it after all of the content has arrived. */
  type(): string | undefined {
    if (!this.#isBegun) this.#begin(new Uint8Array(0))
    const head = this.#head.bytes
    if (this.#text === undefined)
      return binaryType(head) ?? officeType(this.#tail?.bytes ?? head, this.size - (this.#tail?.length ?? 0))
    return this.#text.isText()
      ? textType({ head, tail: this.#tail?.bytes ?? head, size: this.size }, this.#extension)
      : undefined
  }
}

/**
 * Detects the type of a file from its content while it arrives; for text also from its name.
 *
 * Rule: files#file-types. The type that the client declares is ignored. Signatures: PDF (ISO 32000 7.5.2), PNG (RFC
 * 2083 3.1), JPEG, GIF, WebP and WAV (RIFF), FLAC (RFC 9639 6), Ogg (RFC 3533 6), MP3 (ID3v2, or an MPEG audio frame of layer
 * III), Office Open XML (ECMA-376 Part 2: a ZIP archive with `[Content_Types].xml`).
 *
 * The type of a complete content.
 */
export const sniffType = (bytes: Uint8Array, name: string): string | undefined => {
  const sniffer = new Sniffer(name)
  for (let at = 0; at < bytes.length; at += chunkSize) sniffer.push(bytes.subarray(at, at + chunkSize))
  return sniffer.type()
}

/** Enough for every signature. */
const signatureSize = 16

/** Enough for the directory of an archive of some six thousand entries. Larger archives are not accepted. */
const maxDirectorySize = 524_288

const startsWith = (bytes: Uint8Array, signature: string | readonly number[], at = 0): boolean => {
  for (let index = 0; index < signature.length; index++) {
    const expected = typeof signature === "string" ? signature.charCodeAt(index) : signature[index]
    if (bytes[at + index] !== expected) return false
  }
  return true
}

const binaryType = (bytes: Uint8Array): string | undefined => {
  if (startsWith(bytes, "%PDF-")) return "application/pdf"
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png"
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg"
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) return "image/gif"
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return "image/webp"
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WAVE", 8)) return "audio/wav"
  if (startsWith(bytes, "fLaC")) return "audio/flac"
  if (startsWith(bytes, "OggS")) return "audio/ogg"
  return isId3(bytes) || isLayer3(bytes) ? "audio/mpeg" : undefined
}

const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])

/** An ID3v2 header: version and revision below 0xff, a size of four bytes below 0x80. */
const isId3 = (bytes: Uint8Array): boolean =>
  startsWith(bytes, "ID3") &&
  bytes.length >= 10 &&
  bytes.subarray(3, 5).every((byte) => byte < 0xff) &&
  bytes.subarray(6, 10).every((byte) => byte < 0x80)

/** The header of an MPEG audio frame: sync, a version and a bitrate and a sample rate that exist, layer III. */
const isLayer3 = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0, third = 0] = bytes
  return (
    bytes.length >= 4 &&
    first === 0xff &&
    (second & 0xe0) === 0xe0 &&
    (second & 0x18) !== 0x08 &&
    (second & 0x06) === 0x02 &&
    (third & 0xf0) !== 0xf0 &&
    (third & 0x0c) !== 0x0c
  )
}

const officeTypes: readonly (readonly [folder: string, type: string])[] = [
  ["word/", `${openXml}.wordprocessingml.document`],
  ["xl/", `${openXml}.spreadsheetml.sheet`],
  ["ppt/", `${openXml}.presentationml.presentation`]
]

const officeType = (bytes: Uint8Array, skipped: number): string | undefined => {
  const names = zipNames(bytes, skipped)
  if (!names.includes("[Content_Types].xml")) return undefined
  return officeTypes.find(([folder]) => names.some((name) => name.startsWith(folder)))?.[1]
}

/** Control characters that text does not have; white space and escape sequences are fine. */
const control = /[\0-\x06\x0e-\x1a\x1c-\x1f\x7f]/

const chunkSize = 65_536

/** Strict UTF-8 without control characters. */
class TextCheck {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })
  #isBroken = false

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && !this.#isBroken; at += chunkSize)
      this.#read(chunk.subarray(at, at + chunkSize))
  }

  isText(): boolean {
    if (!this.#isBroken) this.#read(undefined)
    return !this.#isBroken
  }

  #read(chunk: Uint8Array | undefined): void {
    try {
      this.#isBroken = control.test(this.#decoder.decode(chunk, { stream: chunk !== undefined }))
    } catch {
      this.#isBroken = true
    }
  }
}

/** The kept part of a text: a short text is kept as a whole. */
interface KeptText {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly size: number
}

const textType = (text: KeptText, extension: string): string => {
  switch (extension) {
    case "csv":
      return "text/csv"
    case "md":
    case "markdown":
      return "text/markdown"
    case "jsonl":
    case "ndjson":
      return jsonLines(text) > 0 ? "application/x-ndjson" : "text/plain"
    case "json":
      return isJson(text, false) ? "application/json" : "text/plain"
    default:
      if (isJson(text, true)) return "application/json"
      return jsonLines(text) > 1 ? "application/x-ndjson" : "text/plain"
  }
}

/** Larger texts are judged by their ends and first lines: a type is not worth parsing a hundred megabytes. */
const parsedSize = 524_288

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isContainer = (text: string): boolean => /^[{[]/.test(text.trimStart())

/** One JSON text; `container`: an object or array, as a bare word or number says nothing. */
const isJson = (text: KeptText, container: boolean): boolean => {
  if (text.size <= parsedSize) {
    const whole = decoded(text.head)
    return (!container || isContainer(whole)) && parses(whole)
  }
  const start = decoded(text.head.subarray(0, chunkSize))
  const end = decoded(text.tail).trimEnd()
  const close = start.trimStart().startsWith("{") ? "}" : "]"
  return isContainer(start) && end.endsWith(close) && jsonLines(text) < 2
}

/** How many lines there are that each hold one JSON object or array; 0 when another line is among them. */
const jsonLines = ({ head, size }: KeptText): number => {
  const lines = decoded(head).split("\n")
  // The last line may be cut.
  const complete = size <= parsedSize ? lines : lines.slice(0, -1)
  const filled = complete.filter((line) => line.trim() !== "")
  return filled.every((line) => isContainer(line) && parses(line)) ? filled.length : 0
}

const types: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  flac: "audio/flac",
  ogg: "audio/ogg",
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  md: "text/markdown",
  markdown: "text/markdown",
  txt: "text/plain"
}

/** The media type by file name, for a content that cannot be read. */
export const typeOfName = (name: string): string => {
  const extension = extensionOf(name)
  return (Object.hasOwn(types, extension) ? types[extension] : undefined) ?? "application/octet-stream"
}
