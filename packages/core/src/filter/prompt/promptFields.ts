/** The meaning of a request's members for content filters: content, or structure of the request. */
import { type ChatRole, chatRoles } from "@gatewarden/contract/internal"
import { maySayText } from "./encodedText.ts"

/** Words of the API and of JSON Schema, which are no content as names of members. */
const vocabulary: ReadonlySet<string> = new Set(
  (
    "role content name type text id function arguments description parameters properties required items enum const default title " +
    "format additionalProperties anyOf oneOf allOf not strict schema json_schema tool_calls tool_call_id function_call refusal reasoning " +
    "reasoning_content reasoning_details image_url url detail file filename file_data file_id input_audio data source media_type " +
    "cache_control tools functions tool_choice response_format stop prediction plugins minimum maximum minLength maxLength minItems " +
    "maxItems pattern input tool_use_id thinking signature summary effort trace_id trace_name span_name generation_name parent_span_id"
  ).split(" ")
)

/** Whether the name of a member may say something to a model. */
export const mayBeRead = (name: string): boolean => !vocabulary.has(name)

const ids: ReadonlySet<string> = new Set(
  "id tool_call_id tool_use_id call_id item_id session_id trace_id parent_span_id".split(" ")
)
const word = /^[A-Za-z][\w.:/+-]{0,127}$/

const settings: ReadonlySet<string> = new Set(
  (
    "type role format detail media_type mime_type ttl effort reasoning_effort verbosity tool_choice status object engine mode syntax " +
    "search_context_size"
  ).split(" ")
)
const setting = /^[a-z][\da-z_.:/+-]{0,127}$/
/** A date as in `web_search_20250305`; a number of anybody's has more digits. */
const mostDigits = 8

const isSetting = (value: string): boolean => setting.test(value) && (value.match(/\d/g)?.length ?? 0) <= mostDigits

/** The text may be cut in the middle of a line's end. No character can be matched in two ways, as a prompt has thousands of such texts. */
const bytes = /^(?:[A-Za-z0-9+/_-]|\r?\n)*(?:={1,2}\s*|[^\S\r\n]\s*|\r)?$/
/** What base64 of any length does not have. */
const noBytes = /[^A-Za-z0-9+/=_\r\n-]/
/** So much of a long value is looked at: whoever decodes the rest finds no text in it. */
const head = 1_024
/** A signed or encrypted value is no shorter, where nothing beside it says that it is. */
const shortestSeal = 64

/** Values that only the provider can read and verifies: signatures and encrypted reasoning. */
const isSealed = (name: string, value: string, beside: object): boolean => {
  const type: unknown = Reflect.get(beside, "type")
  switch (name) {
    case "data":
      return type === "reasoning.encrypted" || type === "redacted_thinking"
    case "signature":
      return type === "thinking" || type === "reasoning.text"
    case "thought_signature":
    case "encrypted_content":
      return type === "reasoning" || value.length >= shortestSeal
    default:
      return false
  }
}

/** The shortest credential that is known is no shorter. */
const shortestCredential = 15

/** `token`: a single word, which is scanned for credentials only. */
export type Meaning = "text" | "token" | "nothing"

/**
 * Ids, kinds and settings hold a request together: a single word; a signed or encrypted value is base64. Whatever else stands in their
 * place is text.
 */
export const meaningOf = (name: string, value: string, beside: object): Meaning => {
  if ((ids.has(name) && word.test(value)) || (settings.has(name) && isSetting(value)))
    return value.length < shortestCredential ? "nothing" : "token"
  return isSealed(name, value, beside) && bytes.test(value.slice(0, head)) && !noBytes.test(value.slice(head).trimEnd())
    ? "nothing"
    : "text"
}

/** Fields that users write instead of messages: a text, or a list of texts or items. */
export const userFields: ReadonlySet<string> = new Set(["input", "prompt"])

/** Whose an item of `/responses` is; `null` for what tools were given and answered. A message that does not say so is the user's. */
export const roleOfItem = (item: object): ChatRole | null => {
  const [role, type]: readonly unknown[] = [Reflect.get(item, "role"), Reflect.get(item, "type")]
  const said = chatRoles.find((each) => each === role)
  return said ?? (type === undefined || type === null || type === "message" ? "user" : null)
}

/** Whether a number of this name limits others, as in a schema. */
export const sizesNumber = (name: string): boolean => /^(?:exclusive)?(?:min|max)|^multipleOf$/i.test(name)

const link = /^[a-z][a-z0-9+.-]{1,20}:\/\/\S*$/i
const payloads: ReadonlySet<string> = new Set([
  "data",
  "file_data",
  "bytes",
  "base64",
  "b64_json",
  "image",
  "audio",
  "video"
])

/** A media type and base64 say nothing; parameters of the type may. */
const plainHeader = /^data:(?:[\w.+-]+\/[\w.+-]+)?;base64$/i

/** The beginning of a value; parsers of URLs drop blanks before them. */
const startOf = (value: string): string => value.slice(0, head).trimStart()

/** What stands where a URL belongs may have spaces, or the scheme of the page that it is on. */
const url = /^(?:[a-z][a-z0-9+.-]{0,20}:|\/\/)/i
const namesUrl = (name: string): boolean => /(?:^|_)ur[il]$/i.test(name)

/** Whether it is the address of content elsewhere. */
export const isLink = (value: string): boolean => link.test(startOf(value))

/**
 * What filters read of content elsewhere, or of bytes: a URL; of a `data:` URL all that is not base64. Undefined if it has no text.
 */
export const addressOf = (name: string, value: string): string | undefined => {
  const start = startOf(value)
  if (/^data:/i.test(start)) {
    const [header = ""] = start.split(",", 1)
    if (header.length < start.length && /;\s*base64\s*$/i.test(header))
      return plainHeader.test(header) ? undefined : header
    return value
  }
  return namesUrl(name) || link.test(start) ? value : undefined
}

/** Content elsewhere, or bytes: what stands in a part for something that is no text. */
export const isOpaque = (name: string, value: string, beside: object): boolean => {
  const start = startOf(value)
  if (/^data:/i.test(start)) return true
  if (namesUrl(name)) return url.test(start)
  if (/(?:^|_)id$/i.test(name)) return word.test(start)
  return payloads.has(name) && Reflect.get(beside, "type") !== "text" && (bytes.test(start) || link.test(start))
}

/** What any part says about its content. */
const labels: ReadonlySet<string> = new Set(
  "type id index status role name title phase filename context format detail media_type mime_type mimeType mediaType ttl".split(
    " "
  )
)

/**
 * What a member of a file, a document, audio or video is: a `label` of the content; its `text`; or a `payload`, which a provider may
 * decode or fetch, whatever it looks like. `within`: the name of the object that has it.
 */
export const memberOf = (name: string, beside: object, within: string | number): "label" | "text" | "payload" => {
  if (labels.has(name)) return "label"
  const type: unknown = within === "source" ? Reflect.get(beside, "type") : undefined
  const isText = (type === "text" && name === "data") || (type === "content" && name === "content")
  return isText && maySayText(beside) ? "text" : "payload"
}
