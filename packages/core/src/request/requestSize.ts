/**
 * An upper bound of what a model reads and writes for a request, for any tokenizer, computed once for all candidates.
 *
 * Rule: money#upper-bound.
 */
import type { ChatMessage } from "@gatewarden/contract"
import { jsonPieces } from "../value/printed.ts"
import {
  images,
  isAnyLink,
  known,
  type OpaquePart,
  opaqueParts,
  startOf,
  textMembers,
  withoutParts
} from "./modelInput.ts"
import { type Fields, fieldsNamed, foldedFields, isObject } from "./requestFields.ts"
import { type ServerTool, serverToolsOf } from "./serverTools.ts"

/**
 * Bytes of a text, counted so that no tokenizer makes more tokens of it. Many read the NFKC form, in which a few characters have more bytes:
 * U+FDFA has 3, and 33 in it.
 *
 * Rule: money#upper-bound. Each character counts by itself: to normalize a whole text takes time by the square of its combining marks.
 */
const utf8 = new TextEncoder()

/** For shorter texts a loop is faster than the encoder. */
const shortText = 200

/** No character before it has more bytes in NFKC. */
const firstExpanding = 0xa8

/** Beyond U+FFFF, those that have more bytes lie between these two. */
const [firstPair, lastPair] = [0x1d15e, 0x1f248]

const extraOf = (character: string): number =>
  Math.max(0, utf8.encode(character.normalize("NFKC")).length - utf8.encode(character).length)

/** What is known of the characters up to U+FFFF: one more than their further bytes, 0 for those that were not met yet. */
const seenExtra = new Uint8Array(65_536)

const extraOfUnit = (unit: number): number => {
  if (seenExtra[unit] === 0) seenExtra[unit] = 1 + extraOf(String.fromCharCode(unit))
  return (seenExtra[unit] as number) - 1
}

const extraOfPair = (text: string, index: number): number => {
  const point = text.codePointAt(index) ?? 0
  return point >= firstPair && point <= lastPair ? extraOf(String.fromCodePoint(point)) : 0
}

/** Bytes of the text in UTF-8, or of its NFKC form, whichever has more: never less than either. */
export const textBytes = (text: string): number => {
  const isLong = text.length > shortText
  let bytes = isLong ? utf8.encode(text).length : text.length
  if (isLong && bytes === text.length) return bytes
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit <= 0x7f) continue
    const isSurrogate = unit >= 0xd800 && unit < 0xe000
    // A surrogate is one of two units for four bytes.
    if (!isLong) bytes += unit < 0x800 || isSurrogate ? 1 : 2
    if (unit < firstExpanding) continue
    if (!isSurrogate) bytes += extraOfUnit(unit)
    else if (unit < 0xdc00) bytes += extraOfPair(text, index)
  }
  return bytes
}

export interface RequestSize {
  /** Bytes of all text (`textBytes`); `null` if the messages are unknown, so that they may fill the endpoint's context. */
  readonly text_bytes: number | null
  readonly images: number
  /** Other parts whose content is elsewhere or is not text. */
  readonly opaque_parts: number
  /** For each answer. */
  readonly completion_tokens: number
  /** Unused tokens of a prediction are charged as completion, beyond the limit. */
  readonly prediction_bytes: number
  /** How many answers, or billed parts of a rerank request. */
  readonly choices: number
  readonly server_tools: readonly ServerTool[]
  /** Kinds of tokens that the provider may count for this request; other kinds are charged only if reported. */
  readonly may: {
    readonly read_audio: boolean
    readonly cache: boolean
    readonly cache_1h: boolean
    readonly write_audio: boolean
    readonly write_images: boolean
  }
}

/** What a size is taken of. */
export interface SizedRequest {
  readonly messages: readonly ChatMessage[] | null
  /** The other fields that are sent to the model. */
  readonly fields: Fields
  readonly modalities: readonly string[] | null
  readonly n: number
}

/** A `data:` URL of an image. */
const imageData = /^data:\s*image\//i
/** A media type of an image. */
const imageType = /^\s*image\/[a-z]/i
/** Names of types and members that contain an image. */
const namesImage = /image|img|frame|mask|screenshot|picture|photo/i
/** Types whose links name the source of a text. */
const citesSource = /search|fetch|citation|location/
const base64 = /^[A-Za-z0-9+/_=-]{64}/

/**
 * How strings count: in an `image` a link or base64; in a `file` of another known kind each link of a list of frames; in `unknown` content a
 * link; in a `text` none. A `data:` URL of an image counts everywhere.
 */
type Context = "image" | "file" | "unknown" | "text"

const isImageString = (value: string, context: Context): boolean =>
  imageData.test(startOf(value)) ||
  (context === "image" && base64.test(startOf(value))) ||
  ((context === "image" || context === "unknown") && isAnyLink(value))

const isImageType = (type: unknown): boolean => typeof type === "string" && (images.has(type) || namesImage.test(type))

/** The context of an object's members: by its type, and for a member by its name. */
const contextIn = (type: unknown, around: Context): Context => {
  if (typeof type !== "string") return around
  if (isImageType(type)) return "image"
  if (known.has(type)) return "file"
  return textMembers(type) !== undefined || citesSource.test(type) ? "text" : around === "text" ? "unknown" : around
}

/** Members of any part that are texts or labels. */
const ofText = textMembers("text")

/**
 * How many images a value contains, however deep: rather too many than too few. An image without a link or data, such as one with an id,
 * counts as one. The depth of a request is limited (`tooDeepField`).
 */
const imagesIn = (value: unknown, name: string, around: Context): number => {
  const isNamed = namesImage.test(name)
  if (typeof value === "string") return isImageString(value, isNamed ? "image" : around) ? 1 : 0
  if (Array.isArray(value)) {
    const each = isNamed || (around === "file" && /video/i.test(name)) ? "image" : around
    return value.reduce<number>((sum, item) => sum + imagesIn(item, name, each), 0)
  }
  if (!isObject(value)) return 0
  const { type } = value
  const context = isNamed ? "image" : contextIn(type, around)
  const own = textMembers(type)
  let found = 0
  let isImage = isNamed || isImageType(type)
  for (const member in value) {
    const inner = value[member]
    if (typeof inner === "string" && imageType.test(inner)) isImage = true
    // Arguments of a tool call.
    if (withoutParts.has(member) || (member === "input" && type === "tool_use")) continue
    const isForeign = own !== undefined && !own.has(member)
    found += imagesIn(inner, member, ofText?.has(member) === true ? "text" : isForeign ? "unknown" : context)
  }
  return isImage ? Math.max(1, found) : found
}

/** The image data, if the part contains it; `undefined` for a part without an image, `""` for an image elsewhere. */
const inlineImage = ({ image_url, url: own, source }: Fields): string | undefined => {
  const url = typeof image_url === "string" ? image_url : isObject(image_url) ? image_url["url"] : own
  if (typeof url === "string") {
    if (!/^data:/i.test(url)) return ""
    return /^data:image\//i.test(url) ? url : undefined
  }
  if (!isObject(source)) return ""
  const { data, media_type } = source
  if (typeof data !== "string") return ""
  return typeof media_type === "string" && media_type.startsWith("image/") ? data : undefined
}

interface PartWeight {
  /** A price per image can apply to each. */
  readonly images: number
  /** Whether prices of tokens can apply to content that is not counted. */
  readonly isOpaque: boolean
  /** Its bytes that are not counted as text. */
  readonly bytes: number
}

/** How a part is counted. A provider may read data of another type in an image, or an image in a file: both kinds of prices are held. */
const weighPart = ({ kind, type, part, isBesideImage, within }: OpaquePart): PartWeight => {
  const imagesOf = (around: Context): number => imagesIn(part, Array.isArray(part) ? type : "", around)
  if (kind === "tokens") return { images: 0, isOpaque: false, bytes: 0 }
  // In an unknown part any string may be text.
  if (kind === "unknown") return { images: isBesideImage === true ? 0 : imagesOf("unknown"), isOpaque: true, bytes: 0 }
  if (kind === "known")
    return {
      images: imagesOf("file"),
      isOpaque: true,
      bytes: textBytes(JSON.stringify(within === undefined ? part : part[type]))
    }
  const inline = inlineImage(part)
  return {
    images: Math.max(1, imagesOf("image")),
    isOpaque: inline === undefined,
    bytes: inline === undefined ? 0 : textBytes(JSON.stringify(inline)) - 2
  }
}

/** Bytes as JSON, because providers serialize structures so, and whether it requests caching. */
interface Written {
  bytes: number
  caches: boolean
  caches1h: boolean
}

function* write(written: Written, value: unknown): Generator<void> {
  let is1h = false
  let caches = false
  let last = ""
  for (const piece of jsonPieces(value)) {
    if (last !== "") yield
    written.bytes += textBytes(piece)
    // A word may lie across two pieces.
    const seen = last === "" ? piece : last + piece
    caches ||= seen.includes('"cache_control"')
    is1h ||= seen.includes('"1h"')
    last = piece.slice(-20)
  }
  written.caches ||= caches
  written.caches1h ||= caches && is1h
}

/** Tokens of the prompt that a provider writes itself where there are tools: Anthropic says that it is up to 530. */
const promptOfTools = 600

const hasTools = (fields: Fields): boolean =>
  ["tools", "functions"].some((name) => Array.isArray(fields[name]) && fields[name].length > 0)

/** Lists of texts that a query ranks. */
const rankedLists = ["documents", "texts", "passages"] as const

/** How many texts a rerank request has; 0 for other requests. */
const rankedTexts = (fields: Fields): number =>
  fields["query"] == null
    ? 0
    : rankedLists.reduce((sum, name) => sum + (Array.isArray(fields[name]) ? fields[name].length : 0), 0)

const predictionField = foldedFields("prediction")

/** A provider may bill a rerank request once for so many texts. */
const textsOfRequest = 100

/**
 * Everything that does not depend on candidates and settings. Other requests may run between two messages. `extra_bytes`: what the data
 * plane adds itself.
 */
export function* requestSize(
  { messages, fields, modalities, n }: SizedRequest,
  extra_bytes: number
): Generator<void, Omit<RequestSize, "completion_tokens">> {
  // Two brackets, and a comma after every message but the last one.
  const written: Written = {
    bytes: messages === null ? 0 : 2 + Math.max(0, messages.length - 1),
    caches: false,
    caches1h: false
  }
  for (const message of messages ?? []) {
    yield* write(written, message)
    yield
  }
  for (const name in fields) {
    yield* write(written, { [name]: fields[name] })
    yield
  }
  // A provider may read the query again with each text.
  const ranked = rankedTexts(fields)
  if (ranked > 1) written.bytes += textBytes(JSON.stringify(fields["query"])) * (ranked - 1)
  let imageCount = 0
  let opaque_parts = 0
  for (const part of opaqueParts(messages ?? [], fields)) {
    if (part === undefined) yield
    else {
      const weight = weighPart(part)
      written.bytes -= weight.bytes
      imageCount += weight.images
      if (weight.isOpaque) opaque_parts++
    }
  }
  const isUnknown = messages === null
  return {
    text_bytes: isUnknown ? null : written.bytes + extra_bytes + (hasTools(fields) ? promptOfTools : 0),
    images: imageCount,
    opaque_parts,
    prediction_bytes: fieldsNamed(fields, predictionField).reduce(
      (sum, [, , value]) => sum + textBytes(JSON.stringify(value)),
      0
    ),
    choices: Math.min(n * Math.max(1, Math.ceil(ranked / textsOfRequest)), Number.MAX_SAFE_INTEGER),
    server_tools: serverToolsOf(fields, messages),
    may: {
      read_audio: isUnknown || opaque_parts > 0,
      cache: isUnknown || written.caches,
      cache_1h: isUnknown || written.caches1h,
      write_audio: modalities?.includes("audio") === true || fields["audio"] !== undefined,
      write_images: modalities === null || modalities.includes("image")
    }
  }
}
