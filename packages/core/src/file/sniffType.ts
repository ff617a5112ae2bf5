/**
 * The type of a file, told from its content; of text also from its name.
 *
 * Source: public API 2.6; decisions 11. What a sender claims is never believed. Signatures: PDF (ISO 32000 7.5.2), PNG (RFC
 * 2083 3.1), JPEG, GIF, WebP and WAV (RIFF), FLAC (RFC 9639 6), Ogg (RFC 3533 6), MP3 (ID3v2, or an MPEG audio frame of layer
 * III), Office Open XML (ECMA-376 Part 2: a ZIP archive with `[Content_Types].xml`).
 */
import { extensionOf } from "./fileName.ts"
import { zipNames } from "./zipNames.ts"

const openXml = "application/vnd.openxmlformats-officedocument"

/** The media type, undefined when the content is none that is accepted. */
export const sniffType = (bytes: Uint8Array, name: string): string | undefined =>
  binaryType(bytes) ?? (isText(bytes) ? textType(bytes, extensionOf(name)) : undefined)

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
  if (isId3(bytes) || isLayer3(bytes)) return "audio/mpeg"
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return officeType(bytes)
  return undefined
}

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

const officeType = (bytes: Uint8Array): string | undefined => {
  const names = zipNames(bytes)
  if (!names.includes("[Content_Types].xml")) return undefined
  return officeTypes.find(([folder]) => names.some((name) => name.startsWith(folder)))?.[1]
}

/** Control characters that text does not have; white space and escape sequences are fine. */
const control = /[\0-\x06\x0e-\x1a\x1c-\x1f\x7f]/

const chunkSize = 65_536

/** Strict UTF-8 without control characters, read a piece at a time so that a large file costs no second copy. */
const isText = (bytes: Uint8Array): boolean => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  try {
    for (let at = 0; at < bytes.length; at += chunkSize)
      if (control.test(decoder.decode(bytes.subarray(at, at + chunkSize), { stream: true }))) return false
    decoder.decode()
    return true
  } catch {
    return false
  }
}

const textType = (bytes: Uint8Array, extension: string): string => {
  switch (extension) {
    case "csv":
      return "text/csv"
    case "md":
    case "markdown":
      return "text/markdown"
    case "jsonl":
    case "ndjson":
      return jsonLines(bytes) > 0 ? "application/x-ndjson" : "text/plain"
    case "json":
      return isJson(bytes, false) ? "application/json" : "text/plain"
    default:
      if (isJson(bytes, true)) return "application/json"
      return jsonLines(bytes) > 1 ? "application/x-ndjson" : "text/plain"
  }
}

/** Larger texts are judged by their ends and first lines: a type is not worth parsing a hundred megabytes. */
const parsedSize = 1_048_576

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
const isJson = (bytes: Uint8Array, container: boolean): boolean => {
  if (bytes.length <= parsedSize) {
    const text = decoded(bytes)
    return (!container || isContainer(text)) && parses(text)
  }
  const head = decoded(bytes.subarray(0, chunkSize))
  const tail = decoded(bytes.subarray(-chunkSize)).trimEnd()
  const close = head.trimStart().startsWith("{") ? "}" : "]"
  return isContainer(head) && tail.endsWith(close) && jsonLines(bytes) < 2
}

/** How many lines there are that each hold one JSON object or array; 0 when another line is among them. */
const jsonLines = (bytes: Uint8Array): number => {
  const isWhole = bytes.length <= parsedSize
  const lines = decoded(bytes.subarray(0, parsedSize)).split("\n")
  // The last line may be cut.
  const complete = isWhole ? lines : lines.slice(0, -1)
  const filled = complete.filter((line) => line.trim() !== "")
  return filled.every((line) => isContainer(line) && parses(line)) ? filled.length : 0
}
