/** Texts that a part of a message contains as encoded data: in a `data:` URL (RFC 2397), or in base64 beside its media type. */

export interface EncodedText {
  /** As a `data:` URL has it, in lower case, without parameters. */
  readonly mediaType: string
  readonly charset: string
  readonly isBase64: boolean
  /** The offset in the value at which the text begins. */
  readonly from: number
  readonly value: string
  /** Whether the value is a URL or the encoded text alone. */
  readonly isUrl: boolean
}

const readableType =
  /^(?:text\/.+|application\/(?:json|jsonl|ndjson|x-ndjson|json5|xml|xhtml\+xml|javascript|x-javascript|ecmascript|typescript|yaml|x-yaml|toml|csv|sql|graphql|x-sh|rtf|x-www-form-urlencoded)|.+\+(?:json|xml|yaml))$/

const header = /^data:([^,]{0,512}),/i

const charsetOf = (parameters: readonly string[]): string =>
  parameters
    .find((one) => /^\s*charset=/i.test(one))
    ?.replace(/^\s*charset=/i, "")
    .replaceAll('"', "")
    .trim() ?? "utf-8"

/** A `data:` URL whose media type is text; without one it is plain text. */
export const dataUrlOf = (value: string): EncodedText | undefined => {
  const match = header.exec(value.slice(0, 600))
  if (match === null) return undefined
  const [type = "", ...parameters] = (match[1] ?? "").split(";")
  const mediaType = type.trim().toLowerCase() || "text/plain"
  if (!readableType.test(mediaType)) return undefined
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === "base64"
  return { mediaType, charset: charsetOf(parameters), isBase64, from: match[0].length, value, isUrl: true }
}

const typeFields = ["media_type", "mime_type", "mimeType", "mediaType"] as const

/** Base64 beside which a media type says that it is text. */
export const base64TextOf = (name: string, value: string, beside: object): EncodedText | undefined => {
  if (name !== "data" && name !== "file_data") return undefined
  const mediaType = typeFields
    .map((field) => Reflect.get(beside, field) as unknown)
    .find((one) => typeof one === "string")
  if (typeof mediaType !== "string" || !readableType.test(mediaType.toLowerCase())) return undefined
  // A value that is not base64 is the text itself.
  if (Reflect.get(beside, "type") !== "base64") return undefined
  return { mediaType: mediaType.toLowerCase(), charset: "utf-8", isBase64: true, from: 0, value, isUrl: false }
}

/** Characters that are decoded in one step: four stand for three bytes. */
const stepSize = 65_536

function* bytesOfBase64(value: string, from: number): Generator<void, readonly Uint8Array[] | undefined> {
  const pieces: Uint8Array[] = []
  let rest = ""
  for (let at = from; at < value.length; at += stepSize) {
    const piece =
      rest +
      value
        .slice(at, at + stepSize)
        .replace(/%(?:2B|2F|3D)/gi, (one) => decodeURIComponent(one))
        .replace(/[\s=]+/g, "")
        .replaceAll("-", "+")
        .replaceAll("_", "/")
    const isLast = at + stepSize >= value.length
    const whole = isLast ? piece.length : piece.length - (piece.length % 4)
    rest = piece.slice(whole)
    try {
      const binary = atob(piece.slice(0, whole))
      const bytes = new Uint8Array(binary.length)
      for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
      pieces.push(bytes)
    } catch {
      return undefined
    }
    yield
  }
  return pieces
}

const utf8 = new TextEncoder()

function* bytesOfPercent(value: string, from: number): Generator<void, readonly Uint8Array[] | undefined> {
  const pieces: Uint8Array[] = []
  for (let at = from; at < value.length;) {
    let end = Math.min(value.length, at + stepSize)
    // An escape is not cut, nor a surrogate pair.
    while (end < value.length && end > at + stepSize - 3 && /[%\ud800-\udfff]/.test(value.slice(end - 2, end))) end--
    const bytes = utf8.encode(value.slice(at, end))
    let length = 0
    for (let index = 0; index < bytes.length; index++) {
      const hex = bytes[index] === 37 ? String.fromCharCode(bytes[index + 1] ?? 0, bytes[index + 2] ?? 0) : ""
      if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
        bytes[length++] = Number.parseInt(hex, 16)
        index += 2
      } else bytes[length++] = bytes[index] ?? 0
    }
    pieces.push(bytes.subarray(0, length))
    at = end
    yield
  }
  return pieces
}

/** Undefined if the value does not match its declared encoding. A generator that can pause between any two steps. */
export function* decodeText(encoded: EncodedText): Generator<void, string | undefined> {
  const { value, from, charset, isBase64 } = encoded
  const pieces = yield* isBase64 ? bytesOfBase64(value, from) : bytesOfPercent(value, from)
  if (pieces === undefined) return undefined
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    const texts: string[] = []
    for (const piece of pieces) {
      texts.push(decoder.decode(piece, { stream: true }))
      yield
    }
    return texts.join("") + decoder.decode()
  } catch {
    return undefined
  }
}

/** Replaces a text by another one in the same encoding. */
export const encodeText = ({ mediaType, isUrl }: EncodedText, text: string): string => {
  const bytes = utf8.encode(text)
  let binary = ""
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return isUrl ? `data:${mediaType};charset=utf-8;base64,${btoa(binary)}` : btoa(binary)
}
