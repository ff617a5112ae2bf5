/**
 * The parts of a request that no filter can read: images, files, audio, video, and what is unknown. The upper bound of a hold and the content
 * filters read the same fields and the same parts, so that neither misses what the other counts.
 *
 * Rule: money#upper-bound, content-filters#what-filters-see.
 */
import type { ChatMessage } from "@gatewarden/contract"
import { type Fields, hasFurtherFields, isObject, requestLevels } from "./requestFields.ts"

/**
 * A part without readable text: an `image`, content of another `known` type (audio, video, a file), a part of an `unknown` type, or
 * `tokens`, which no filter reads although their number is known.
 */
export interface OpaquePart {
  readonly kind: "image" | "known" | "unknown" | "tokens"
  readonly type: string
  /** Its index among the messages; `null` in another field. */
  readonly message: number | null
  readonly part: Fields
  /** The image that it lies beside has the images of both. */
  readonly isBesideImage?: boolean
  /** The object or list that contains the part, and its name or index there, if the part is a single string. */
  readonly within?: { readonly holder: object; readonly key: string | number }
}

/** Types of parts that are an image, and members that contain one. */
export const images: ReadonlySet<string> = new Set([
  "image_url",
  "input_image",
  "image",
  "computer_screenshot",
  "image_generation_call"
])

/** Types of parts that are content of another kind. */
export const known: ReadonlySet<string> = new Set([
  "input_audio",
  "audio",
  "audio_url",
  "file",
  "file_url",
  "input_file",
  "document",
  "document_url",
  "video",
  "video_url",
  "input_video",
  "media"
])

/** Members that parts of any type may have. */
const ofAnyPart =
  "type id index status role name title phase cache_control annotations citations logprobs prompt_cache_breakpoint"
/** Members of an image. */
const ofImage = "image_url image url source detail"

/**
 * Known types of parts with their members. Any other member of a part may be content, too: a provider may read the image of a part of type
 * text.
 */
const members: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    text: "text",
    input_text: "text",
    output_text: "text",
    summary_text: "text",
    refusal: "refusal",
    thinking: "thinking signature",
    redacted_thinking: "data",
    reasoning: "reasoning text summary content format encrypted_content signature",
    "reasoning.text": "text format signature",
    "reasoning.summary": "summary format",
    "reasoning.encrypted": "data format",
    tool_use: "input caller",
    tool_result: "tool_use_id tool_call_id content is_error",
    function_call: "call_id arguments function",
    function_call_output: "call_id output",
    url_citation: "url_citation url content start_index end_index",
    ...Object.fromEntries([...images].map((type) => [type, ofImage]))
  }).map(([type, own]) => [type, new Set(`${ofAnyPart} ${own}`.split(" "))])
)

/** Members of a part that is not an image and whose content is text; `undefined` for other types. */
export const textMembers = (type: unknown): ReadonlySet<string> | undefined =>
  typeof type === "string" && !images.has(type) ? members.get(type) : undefined

/** Whether parts of a content have this type. */
export const isPartType = (type: unknown): boolean => typeof type === "string" && (members.has(type) || known.has(type))

/** Definitions of tools. They have parts outside of their schemas and examples: files of a skill, the mask of an image. */
const toolLists: ReadonlySet<string> = new Set(["tools", "functions"])

/** JSON Schemas and arguments, which contain objects with a `type` that are not parts. */
export const withoutParts: ReadonlySet<string> = new Set([
  "response_format",
  "tool_calls",
  "function_call",
  "tool_choice",
  "arguments",
  "input_schema",
  "cache_control"
])

/** Schemas and examples of a tool. */
const ofSchemas: ReadonlySet<string> = new Set([
  ...withoutParts,
  "output_schema",
  "schema",
  "json_schema",
  "input_examples",
  "examples",
  "example"
])

/** Types of tools that the client runs: their `parameters` are a schema. A server tool has settings there. */
export const ofTheClient: ReadonlySet<unknown> = new Set(["function", "custom", undefined])

/** Items whose output is content. */
const outputs: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "computer_call_output"
])

const isFilled = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || (typeof value === "string" && value !== "")

/** Members of a part that contain an image, whatever its type. */
const imageMembers: ReadonlySet<string> = new Set([...images, "url", "source"])

type Opacity = Pick<OpaquePart, "kind" | "type" | "isBesideImage">

/** The kinds of unreadable content of an object: by its type, and by its other members. `isContent`: it is a part of a content. */
const opacityOf = (value: Fields, isContent: boolean): readonly Opacity[] => {
  const type = typeof value["type"] === "string" ? value["type"] : undefined
  const isImage = type !== undefined && images.has(type)
  if (type !== undefined && known.has(type)) return [{ kind: "known", type }]
  if (!isContent) return isImage ? [{ kind: "image", type }] : []
  const own = members.get(type ?? "text")
  if (own === undefined) return [{ kind: "unknown", type: type ?? "" }]
  const filled = Object.keys(value).filter((name) => isFilled(value[name]))
  const [image, ...moreImages] = filled.filter((name) => imageMembers.has(name) && (isImage || !own.has(name)))
  const foreign = filled.find((name) => !own.has(name) && name !== image)
  const lists = image !== undefined && Array.isArray(value[image]) ? image : undefined
  const beside = foreign ?? moreImages[0] ?? lists
  const hasImage = isImage || image !== undefined
  const found: Opacity[] =
    beside === undefined ? [] : [{ kind: "unknown", type: beside, ...(hasImage && { isBesideImage: true }) }]
  // Last, because it takes precedence: an image is never readable.
  if (hasImage) found.push({ kind: "image", type: isImage ? type : (image ?? "") })
  return found
}

/** Members of messages and items. */
const ofMessages: ReadonlySet<string> = new Set([
  ...(
    "role content name type id status tool_calls tool_call_id function_call refusal reasoning reasoning_content reasoning_details images " +
    "annotations cache_control phase output summary arguments call_id input encrypted_content tools text prefix"
  ).split(" "),
  ...images,
  ...known
])

/** Some JSON libraries read names in any case, and take the long s and the Kelvin sign for letters. */
const foldCase = (name: string): string => name.toUpperCase().toLowerCase()

const isCaseVariant = (name: string): boolean => !ofMessages.has(name) && ofMessages.has(foldCase(name))

/** A `data:` URL in a member that the API does not have. */
const dataOf = (name: string, value: unknown): Media | undefined =>
  typeof value === "string" && !ofMessages.has(name) && isDataLink(value) ? (mediaOf(name) ?? "known") : undefined

/**
 * Members of a message or an item outside of its content: with the name of a part, with a name that differs from a known one by case only,
 * or with a `data:` URL. A previous audio answer is referred to by its id.
 */
const besideContent = (object: Fields, message: number | null): readonly OpaquePart[] => {
  const found: OpaquePart[] = []
  for (const name in object) {
    const value = object[name]
    const kind = images.has(name)
      ? "image"
      : known.has(name)
        ? "known"
        : isCaseVariant(name)
          ? "unknown"
          : dataOf(name, value)
    if (kind === undefined || !isFilled(value)) continue
    // A text to rank.
    if (message === null && name === "document" && typeof value === "string") continue
    // Each item of the list is an image.
    if (kind === "image" && Array.isArray(value)) continue
    found.push(partOf({ kind, type: name }, message, object, name, value))
  }
  return found
}

/** A member as a part. The part of a string has the name that an image has elsewhere, so that its size is counted in the same way. */
const partOf = (
  { kind, type }: Opacity,
  message: number | null,
  holder: object,
  key: string | number,
  value: unknown
): OpaquePart =>
  typeof value === "string"
    ? {
        kind,
        type,
        message,
        part: kind === "image" ? { image_url: value } : { [type]: value },
        within: { holder, key }
      }
    : { kind, type, message, part: typeof value === "object" && value !== null ? (value as Fields) : { [type]: value } }

/** Fields of a request that contain an image, or several. */
const imageFields: readonly string[] = [
  ...images,
  ..."images init_image init_images image_urls reference_images mask mask_image mask_url".split(" ")
]
const imageFieldNames: ReadonlySet<string> = new Set(imageFields)

/** Fields that refer to content that the provider stores. */
const references: readonly string[] = ["previous_response_id", "conversation"]

/** Images outside of messages and items, in a field of the request, and references to content that the provider stores. */
const besideInput = (fields: Fields): readonly OpaquePart[] => {
  const { prompt } = fields
  const found = imageFields
    .filter((name) => isFilled(fields[name]) && !Array.isArray(fields[name]))
    .map((name) => partOf({ kind: "image", type: name }, null, fields, name, fields[name]))
  for (const name of references)
    if (isFilled(fields[name]))
      found.push({ kind: "unknown", type: name, message: null, part: { [name]: fields[name] } })
  if (isObject(prompt) && isFilled(prompt["id"]))
    found.push({ kind: "unknown", type: "prompt", message: null, part: { id: prompt["id"] } })
  return found
}

const isReference = (item: Fields): boolean =>
  item["type"] === "item_reference" ||
  (item["type"] == null && isFilled(item["id"]) && Object.keys(item).every((name) => name === "id" || name === "type"))

/** The beginning of a value as parsers of URLs read it: they ignore line breaks and tabs, and blanks before it. */
export const startOf = (value: string): string =>
  value
    .trimStart()
    .slice(0, 600)
    .replace(/[\t\r\n]/g, "")

/** Prose is none, such as `Data: names, ages`. */
const isDataLink = (value: string): boolean => /^data:(?:[^\s,;/]+\/|\s*;)/i.test(startOf(value))

export const isAnyLink = (value: string): boolean =>
  /^(?:(?:[a-z][a-z0-9+.-]{0,20}:)?[\\/]{2}|(?:data|https?|ftp|file|gs|s3|blob):\S)/i.test(startOf(value))

const mediaTypes = ["media_type", "mime_type", "mimeType", "mediaType"] as const

/** Bytes, or an address of them: with a media type, or as base64. */
const isPayload = (value: Fields): boolean =>
  value["type"] === "base64" ||
  ((isFilled(value["data"]) || isFilled(value["source"])) && mediaTypes.some((name) => isFilled(value[name])))

/** The caller's own labels, which no model reads. */
const ownLabels: ReadonlySet<string> = new Set(["metadata", "trace"])

/** Fields of texts, which may begin as a link does. */
const textFields: ReadonlySet<string> = new Set("input prompt query text system instructions suffix".split(" "))

/** What a field contains, by words in its name: `first_frame_image`, `refAudio`. */
const mediaNames: readonly (readonly [Media, RegExp])[] = [
  ["image", /image|img|picture|photo|screenshot|(?:^|_)(?:mask|frame)s?(?:_|$)/],
  ["known", /video|audio|(?:^|_)(?:file|document|attachment|font|voice|speech)s?(?:_|$)/],
  ["image", /(?:^|_)references?(?:_|$)/]
]
type Media = "image" | "known"

const mediaOf = (name: string): Media | undefined => {
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()
  return mediaNames.find(([, names]) => names.test(words))?.[0]
}

/** Base64 that is too long for an id; hexadecimal digits are a checksum. */
const isLongBase64 = (value: string): boolean => {
  const start = startOf(value)
  return /^[A-Za-z0-9+/_-]{64,}={0,2}\s*$/.test(start) && !/^[0-9a-f]+$/i.test(start)
}

/** How the members of a value are read. */
type Mode =
  | "content"
  /** Each text is an image. */
  | "images"
  /** A definition of a tool, or a part of one. */
  | "tools"
  /** Settings of images, and fields whose name says what they contain: each link and long base64 is content. */
  | "media"
  /** Other fields: a `data:` URL is content. */
  | "field"
  /** Items of the request's input, texts to embed or to rank, and lists of them. Numbers are tokens. */
  | "items"
  | "other"

interface Open {
  readonly value: unknown
  readonly message: number | null
  readonly mode: Mode
  /** The member's name; of a list for its items. */
  readonly name: string
  /** What a link in it refers to. */
  readonly media?: Media | undefined
}

const itemFields: ReadonlySet<string> = new Set(["input", "prompt", "documents", "query"])

const modeOf = (name: string, value: object, isField: boolean): Mode => {
  if (name === "content") return "content"
  if (name === "images" || (Array.isArray(value) && (images.has(name) || (isField && imageFieldNames.has(name)))))
    return "images"
  if (toolLists.has(name)) return "tools"
  if (isField && itemFields.has(name)) return "items"
  return "other"
}

/** A string that is a part by itself. */
const opaqueString = ({ mode, name, media }: Open, value: string): Opacity | undefined => {
  if (mode === "images") return isFilled(value) ? { kind: "image", type: name } : undefined
  if (mode === "media" && media !== undefined && (isAnyLink(value) || isLongBase64(value)))
    return { kind: media, type: name }
  const mayBeData =
    mode === "media" || mode === "tools" || mode === "field" || (mode === "items" && name === "documents")
  return mayBeData && isDataLink(value) ? { kind: "known", type: name } : undefined
}

/** The opaque parts of messages and other fields, however deep; not in any order. May be left between any two steps. */
export function* opaqueParts(
  messages: readonly ChatMessage[],
  fields: Fields
): Generator<OpaquePart | undefined, undefined> {
  const open: Open[] = []
  const openMembers = (object: Fields, message: number | null, except: readonly string[] = []): void => {
    const isOutput = outputs.has(object["type"])
    for (const name in object) {
      const value = object[name]
      if (typeof value !== "object" || value === null || except.includes(name) || withoutParts.has(name)) continue
      const mode = name === "output" && isOutput ? "content" : modeOf(name, value, false)
      open.push({ value, message, mode, name })
    }
  }
  for (const [level] of requestLevels(fields)) {
    yield* besideInput(level)
    yield* openSettings({ message: null, mode: "field" }, level, open, isReadElsewhere(level))
  }
  for (let index = 0; index <= messages.length; index++) {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, message, mode, name } = next
      if (Array.isArray(value)) {
        let isTokens = false
        for (const [key, item] of value.entries())
          if (typeof item === "object" && item !== null) open.push({ ...next, value: item })
          else if (mode === "items" && typeof item === "number") isTokens = true
          else if (typeof item === "string") {
            const found = opaqueString(next, item)
            if (found !== undefined) yield partOf(found, message, value, key, item)
          }
        if (isTokens) yield { kind: "tokens", type: name, message, part: {} }
      } else if (isObject(value)) {
        const found = opacityOf(value, mode === "content" || mode === "images")
        for (const opacity of found) yield { ...opacity, message, part: value }
        if (found.length > 0) continue
        if (!ownLabels.has(name) && isPayload(value))
          yield { kind: "known", type: shownType(value, name), message, part: value }
        else if (mode === "tools" || mode === "media" || mode === "field") yield* openSettings(next, value, open)
        else {
          const beside = mode === "items" ? besideContent(value, message) : []
          yield* beside
          if (mode === "items" && name === "input" && isReference(value))
            yield { kind: "unknown", type: "item_reference", message, part: { id: value["id"] } }
          // Arguments of a tool call are not parts, whatever they look like.
          const except = [
            ...(value["type"] === "tool_use" ? ["input"] : []),
            ...beside.flatMap(({ kind, type }) => (kind === "unknown" ? [] : [type]))
          ]
          // Some providers read the fields of a request there.
          if (value === fields["input"])
            yield* openSettings(
              { ...next, mode: "field" },
              value,
              open,
              (field) => except.includes(field) || textFields.has(field)
            )
          else openMembers(value, message, except)
        }
      }
      if (open.length % 1_000 === 999) yield
    }
    const message = messages[index]
    if (message === undefined) continue
    if (typeof message.content === "string" && Object.keys(message).length === 2) continue
    const beside = besideContent(message, index)
    yield* beside
    openMembers(
      message,
      index,
      beside.flatMap(({ kind, type }) => (kind === "unknown" ? [] : [type]))
    )
  }
}

const shownType = (value: Fields, name: string): string => (typeof value["type"] === "string" ? value["type"] : name)

/** Fields of a request that are texts or labels, or that `besideInput` and `requestLevels` read. */
const isReadElsewhere =
  (level: Fields) =>
  (name: string): boolean =>
    (typeof level[name] === "string" && (textFields.has(name) || ownLabels.has(name))) ||
    (imageFieldNames.has(name) && !Array.isArray(level[name])) ||
    (hasFurtherFields(name) && isObject(level[name]))

/**
 * The parts of an object of a tool, or of other fields; its objects and lists are put on the stack. `isElsewhere`: which fields are read
 * elsewhere, if the object is the request, or is read like one.
 */
function* openSettings(
  { message, mode, media: around }: Omit<Open, "value" | "name">,
  object: Fields,
  open: Open[],
  isElsewhere?: (name: string) => boolean
): Generator<OpaquePart> {
  const isTool = mode === "tools"
  const hasSchema = ofTheClient.has(object["type"])
  for (const name in object) {
    const value = object[name]
    if (isElsewhere?.(name) === true) continue
    if ((name === "input_image_mask" || name === "image_url") && isFilled(value) && !Array.isArray(value)) {
      yield partOf({ kind: "image", type: name }, message, object, name, value)
      continue
    }
    const media = isTool ? undefined : (mediaOf(name) ?? around)
    const own: Mode = isTool ? "tools" : media === undefined ? "field" : "media"
    if (typeof value === "string") {
      const found = opaqueString({ value, message, mode: own, name, media }, value)
      if (found !== undefined) yield partOf(found, message, object, name, value)
    }
    if (typeof value !== "object" || value === null) continue
    if (isTool) {
      if (ofSchemas.has(name) || (name === "parameters" && hasSchema)) continue
      open.push({ value, message, mode: name === "images" ? "images" : mode, name })
    } else if (!withoutParts.has(name)) {
      const read = modeOf(name, value, isElsewhere !== undefined)
      open.push({
        value,
        message,
        mode: read !== "other" ? read : ofSchemas.has(name) || ownLabels.has(name) ? "other" : own,
        name,
        media
      })
    }
  }
}
