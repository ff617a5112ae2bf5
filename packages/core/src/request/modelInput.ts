/**
 * The part of a request that is sent to a model: the messages, and every other field that is not for Gatewarden alone. The upper bound of
 * a hold
 * and the content filters read the same fields and the same parts, so that neither misses what the other counts.
 *
 * Rule: money#upper-bound, content-filters#what-filters-see.
 */
import type { ChatMessage } from "@gatewarden/contract"
import { fieldsFor } from "./requestFields.ts"

export type Fields = Readonly<Record<string, unknown>>

const passedOn: ReadonlySet<string> = new Set(fieldsFor("upstream"))

const notForTheModel: ReadonlySet<string> = new Set([...passedOn, ...fieldsFor("control"), ...fieldsFor("gateway")])

const fieldsThat = (request: Fields, isKept: (name: string) => boolean): Fields =>
  Object.fromEntries(
    Object.entries(request).filter(([name, value]) => value !== undefined && value !== null && isKept(name))
  )

/** The fields that are sent to a model in addition to the messages, with their values; `null` counts as absent. */
export const modelFields = (request: Fields): Fields => fieldsThat(request, (name) => !notForTheModel.has(name))

/** Further fields that the upstream provider receives: no budget holds anything for them, and filters read them. */
export const passedOnFields = (request: Fields): Fields => fieldsThat(request, (name) => passedOn.has(name))

/**
 * A part without readable text: an `image`, content of another `known` type (audio, video, a file), or a part of
 * an `unknown` type.
 */
export interface OpaquePart {
  readonly kind: "image" | "known" | "unknown"
  readonly type: string
  /** Its index among the messages; `null` in another field. */
  readonly message: number | null
  readonly part: Fields
}

const images: ReadonlySet<string> = new Set([
  "image_url",
  "input_image",
  "image",
  "computer_screenshot",
  "image_generation_call"
])

const known: ReadonlySet<string> = new Set([
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

/** Whether parts of a content have this type. */
export const isPartType = (type: unknown): boolean => typeof type === "string" && (members.has(type) || known.has(type))

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** JSON Schemas and arguments, which contain objects with a `type` that are not parts. */
const withoutParts: ReadonlySet<string> = new Set([
  "tools",
  "functions",
  "response_format",
  "tool_calls",
  "function_call",
  "tool_choice",
  "arguments",
  "input_schema",
  "cache_control"
])

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

type Opacity = Pick<OpaquePart, "kind" | "type">

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
  const found: Opacity[] = beside === undefined ? [] : [{ kind: "unknown", type: beside }]
  // Last, because it takes precedence: an image is never readable.
  if (isImage || image !== undefined) found.push({ kind: "image", type: isImage ? type : (image ?? "") })
  return found
}

/** Members of a message outside of its content, with the name of a part. A previous audio answer is referred to by its id. */
const besideContent = (message: ChatMessage, index: number): readonly OpaquePart[] =>
  Object.entries(message)
    .filter(([name, value]) => (images.has(name) || known.has(name)) && isFilled(value))
    .map(([name, value]) => ({
      kind: images.has(name) ? "image" : "known",
      type: name,
      message: index,
      part: isObject(value) ? value : { [name]: value }
    }))

/** Images outside of messages and items: in a field of the request, and the mask of an image that a tool changes. */
const besideInput = (fields: Fields): readonly OpaquePart[] => {
  const { tools } = fields
  return [
    ...[...images].map((name) => [name, fields[name]] as const),
    ...(Array.isArray(tools) ? tools : []).map(
      (tool) => ["input_image_mask", isObject(tool) && tool["input_image_mask"]] as const
    )
  ]
    .filter(([, value]) => isFilled(value))
    .map(([type, value]) => ({ kind: "image", type, message: null, part: isObject(value) ? value : { [type]: value } }))
}

interface Open {
  readonly value: unknown
  readonly message: number | null
  /** Every object in a list of content is a part, whatever its type. */
  readonly isContent: boolean
  /** Every text in it is an image. */
  readonly isImages: boolean
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
      const isContent = name === "content" || name === "images" || (name === "output" && isOutput)
      open.push({ value, message, isContent, isImages: name === "images" })
    }
  }
  openMembers(fields, null)
  yield* besideInput(fields)
  for (let index = 0; index <= messages.length; index++) {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, message, isContent, isImages } = next
      if (Array.isArray(value)) {
        for (const item of value)
          if (typeof item === "object" && item !== null) open.push({ ...next, value: item })
          else if (isImages && isFilled(item)) yield { kind: "image", type: "images", message, part: { image: item } }
      } else if (isObject(value)) {
        const found = opacityOf(value, isContent)
        for (const { kind, type } of found) yield { kind, type, message, part: value }
        // Arguments of a tool call are not parts, whatever they look like.
        if (found.length === 0) openMembers(value, message, value["type"] === "tool_use" ? ["input"] : [])
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
      beside.map(({ type }) => type)
    )
  }
}
