/** Texts that a part of a message contains as encoded data: in a `data:` URL (RFC 2397), or in base64 beside its media type. */

export interface EncodedText {
  /** As a `data:` URL has it, in lower case, without parameters. */
  readonly mediaType: string
  readonly charset: string
  readonly isBase64: boolean
  /** Whether readers of URLs may disagree where the data begins, so that some of them decode something else. */
  readonly isAmbiguous: boolean
  /** The offset in the value at which the text begins. */
  readonly from: number
  readonly value: string
  /** Whether the value is a URL or the encoded text alone. */
  readonly isUrl: boolean
}

/** What a reader may take the bytes for. */
export interface DecodedText {
  /** As its charset says, and as UTF-8 if that says something else: a provider may do either. */
  readonly readings: readonly string[]
  /** Whether a reader finds this text there, and nothing else. */
  readonly isPlain: boolean
}

const readableType =
  /^(?:text\/[\w.+-]+|application\/(?:json|jsonl|ndjson|x-ndjson|json5|xml|xhtml\+xml|javascript|x-javascript|ecmascript|typescript|yaml|x-yaml|toml|csv|sql|graphql|x-sh|rtf|x-www-form-urlencoded)|[\w.+-]+\/[\w.+-]+\+(?:json|xml|yaml))$/

/** Parsers of URLs drop blanks before them. */
const header = /^\s*data:([^,]{0,512}),/i
/** Many readers take what follows for the data, wherever it stands. No base64 has it. */
const dataMark = /;\s*base64|base64\s*,/i

/** No name, and so no charset, if more than one reading of the parameters is possible. */
const charsetOf = (parameters: readonly string[]): string => {
  const [said, ...more] = parameters.filter((one) => /charset|base64/i.test(one))
  if (said === undefined) return "utf-8"
  return (more.length === 0 && /^\s*charset="?([\w.:-]+)"?\s*$/i.exec(said)?.[1]) || ""
}

const mediaTypeOf = (written: string): readonly [mediaType: string, ...parameters: string[]] => {
  const [type = "", ...parameters] = written.split(";")
  return [type.trim().toLowerCase(), ...parameters]
}

/** A `data:` URL whose media type is text; without one it is plain text. */
export const dataUrlOf = (value: string): EncodedText | undefined => {
  const match = header.exec(value.slice(0, 600))
  if (match === null) return undefined
  const [type, ...parameters] = mediaTypeOf(match[1] ?? "")
  const mediaType = type || "text/plain"
  if (!readableType.test(mediaType)) return undefined
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === "base64"
  // Within quotes a comma ends no header.
  const isQuoted = /["\\]/.test((match[1] ?? "").replace(/"[^"\\]*"/g, ""))
  const isAmbiguous = isQuoted || (!isBase64 && dataMark.test(value.slice(match[0].length)))
  const charset = charsetOf(isBase64 ? parameters.slice(0, -1) : parameters)
  return { mediaType, charset, isBase64, isAmbiguous, from: match[0].length, value, isUrl: true }
}

const typeFields = ["media_type", "mime_type", "mimeType", "mediaType"] as const

const typeBeside = (beside: object): string | undefined =>
  typeFields.map((field) => Reflect.get(beside, field) as unknown).find((one) => typeof one === "string")

/** The media type beside a text; empty if there is none. */
export const mediaTypeBeside = (beside: object): string => mediaTypeOf(typeBeside(beside) ?? "")[0]

/** Whether no media type beside a text says that it is something else. */
export const maySayText = (beside: object): boolean => {
  const said = typeBeside(beside)
  return said === undefined || readableType.test(mediaTypeOf(said)[0])
}

/** Base64 beside which a media type says that it is text. */
export const base64TextOf = (name: string, value: string, beside: object): EncodedText | undefined => {
  if (name !== "data" && name !== "file_data") return undefined
  const said = typeBeside(beside)
  if (said === undefined) return undefined
  const [mediaType, ...parameters] = mediaTypeOf(said)
  // A value that is not base64 is the text itself.
  if (!readableType.test(mediaType) || Reflect.get(beside, "type") !== "base64") return undefined
  return { mediaType, charset: charsetOf(parameters), isBase64: true, isAmbiguous: false, from: 0, value, isUrl: false }
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

interface Reading {
  readonly text: string
  /** Whether all bytes are characters. */
  readonly isWhole: boolean
}

function* read(charset: string, pieces: readonly Uint8Array[]): Generator<void, Reading> {
  for (const fatal of [true, false]) {
    try {
      const decoder = new TextDecoder(charset, { fatal })
      const texts: string[] = []
      for (const piece of pieces) {
        texts.push(decoder.decode(piece, { stream: true }))
        yield
      }
      return { text: texts.join("") + decoder.decode(), isWhole: fatal }
    } catch {
      // Bytes that are no characters; what is between them may say something.
    }
  }
  return { text: "", isWhole: false }
}

const encodingOf = (charset: string): string | undefined => {
  try {
    return new TextDecoder(charset).encoding.toLowerCase()
  } catch {
    return undefined
  }
}

/** Supersets of ASCII: whoever reads them as something else finds the same numbers and addresses. */
const withAscii =
  /^(?:utf-8|(?:windows|iso-8859)-[\w-]+|koi8-[ru]|macintosh|x-mac-cyrillic|ibm866|gbk|gb18030|big5|euc-(?:jp|kr)|shift_jis)$/

/** Documents with a language of their own, which readers recognise whatever they are called. */
const isDocument = (text: string): boolean => /^\s*(?:\{\\rt|%!PS)|%PDF-/i.test(text.slice(0, 1_024))
const richType = /rtf|richtext/
/** Signs of another encoding, or of no text at all. */
const control = /[\0-\u0008\u000e-\u001a\u001c-\u001f]|\u001b(?!\[)/

const markupType = /(?:[/+]|^)(?:xml|svg|html|xhtml)/
const characterReference = /&(?:#(x[0-9a-f]{1,8}|[0-9]{1,8})|(colon|tab|newline|sol|semi|comma));?/gi
const named: Readonly<Record<string, string>> = { colon: ":", tab: "", newline: "", sol: "/", semi: ";", comma: "," }

/** Characters are written out, and those that parsers of URLs ignore are left out. */
const withoutReferences = (text: string): string =>
  text
    .replace(characterReference, (_, code: string | undefined, name: string | undefined) => {
      if (code === undefined) return named[(name ?? "").toLowerCase()] ?? ""
      const point = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code)
      return point <= 0x10_ffff ? String.fromCodePoint(point) : ""
    })
    .replace(/[\t\r\n]/g, "")

const embedded =
  /(?<![\w-])data:(?:(?:image|audio|video|application|text|font|model|message|multipart)\/|[\w.+/-]{0,100};\s*base64)/i
/** A document type may declare entities, or load them; only HTML's own has neither. */
const documentType = /<!doctype(?!\s{1,9}html\s{0,9}>)/i
/** Characters that are taken as they are, and may stand within a word. */
const characterData = /<!\[CDATA\[/i
const declaredEncoding = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']?([^"'\s>?]*)/i
const asciiEncoding = /^(?:utf-?8|us-ascii|ascii)$/i

const asXml = /^\s*<\?xml\s/i
/** A declaration ends within this, or is taken for another encoding. */
const longestDeclaration = 1_024
/** A link and what stands before it, across two steps. */
const overlap = 256

const declaresOther = (text: string): boolean => {
  const start = text.trimStart().slice(0, longestDeclaration)
  if (!asXml.test(start)) return false
  const encoding = declaredEncoding.exec(start)?.[1]
  return !start.includes("?>") || (encoding !== undefined && !asciiEncoding.test(encoding))
}

function* embeds(text: string): Generator<void, boolean> {
  let tail = ""
  let rest = ""
  for (let at = 0; at < text.length; at += stepSize) {
    const piece = rest + text.slice(at, at + stepSize)
    const cut = /&[#\w]{0,12}$/.exec(piece)?.index ?? piece.length
    const clean = tail + withoutReferences(piece.slice(0, cut))
    if (embedded.test(clean)) return true
    tail = clean.slice(-overlap)
    rest = piece.slice(cut)
    yield
  }
  return false
}

/**
 * Whether a reader of XML, SVG or HTML finds content that is not in its text: an embedded file, entities, words that character data cuts, or
 * characters of another encoding.
 * A text that begins with a tag may be read so, whatever its media type.
 */
export function* hidesContent(text: string, mediaType: string): Generator<void, boolean> {
  if (!markupType.test(mediaType) && !/^\s*</.test(text)) return false
  return declaresOther(text) || documentType.test(text) || characterData.test(text) || (yield* embeds(text))
}

/** Undefined if the value is not base64 though it says so. A generator that can pause between any two steps. */
export function* decodeText(encoded: EncodedText): Generator<void, DecodedText | undefined> {
  const { value, from, mediaType, charset, isBase64, isAmbiguous } = encoded
  const pieces = yield* isBase64 ? bytesOfBase64(value, from) : bytesOfPercent(value, from)
  if (pieces === undefined) return undefined
  const encoding = encodingOf(charset)
  const common = yield* read("utf-8", pieces)
  const declared = encoding === undefined || encoding === "utf-8" ? common : yield* read(encoding, pieces)
  const { text } = declared
  return {
    readings: text === common.text ? [text] : [text, common.text],
    isPlain:
      !isAmbiguous &&
      encoding !== undefined &&
      withAscii.test(encoding) &&
      declared.isWhole &&
      !richType.test(mediaType) &&
      !isDocument(text) &&
      !control.test(text) &&
      !(yield* hidesContent(text, mediaType))
  }
}

/** Replaces a text by another one in the same encoding. */
export const encodeText = ({ mediaType, isUrl }: EncodedText, text: string): string => {
  const bytes = utf8.encode(text)
  let binary = ""
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return isUrl ? `data:${mediaType};charset=utf-8;base64,${btoa(binary)}` : btoa(binary)
}
