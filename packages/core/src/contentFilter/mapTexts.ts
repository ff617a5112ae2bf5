/**
 * Rewrites every text of a conversation and nothing else: contents, text parts, refusals, reasoning, and what the arguments of
 * tool calls say. What nothing was changed in stays the same object; arguments stay valid JSON, byte for byte elsewhere.
 */
import type { ChatMessage, ChatRole } from "@gatewarden/contract"

export type MapText = (text: string, role: ChatRole) => string
type Map = (text: string) => string
type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** A copy with the field mapped, or the object itself where that changes nothing. */
const withField = <T extends Json>(object: T, field: string, map: (value: unknown) => unknown): T => {
  const before = object[field]
  const after = map(before)
  return after === before ? object : { ...object, [field]: after }
}

const mapString =
  (map: Map) =>
  (value: unknown): unknown =>
    typeof value === "string" ? map(value) : value

const mapItems =
  (map: (item: Json) => Json) =>
  (value: unknown): unknown => {
    if (!Array.isArray(value)) return value
    const mapped = value.map((item: unknown) => (isObject(item) ? map(item) : item))
    return mapped.some((item, index) => item !== value[index]) ? mapped : value
  }

const mapIn =
  (map: (item: Json) => Json) =>
  (value: unknown): unknown =>
    isObject(value) ? map(value) : value

/** Where the string literal ends that starts here. */
const literalEnd = (json: string, start: number): number => {
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 92) at++
    else if (code === 34) return at + 1
  }
  return json.length
}

const isValid = (json: string): boolean => {
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

/** Shorter numbers identify nobody. */
const number = /-?\d[\d.eE+-]{6,}/y

/** Maps what strings and long numbers of a JSON text say; a text that is none is mapped as a whole. */
export const mapJson = (json: string, map: Map): string => {
  if (!isValid(json)) return map(json)
  let result = ""
  let copied = 0
  const replace = (start: number, end: number, value: string) => {
    const after = map(value)
    if (after === value) return
    result += json.slice(copied, start) + JSON.stringify(after)
    copied = end
  }
  for (let at = 0; at < json.length;) {
    if (json.charCodeAt(at) === 34) {
      const end = literalEnd(json, at)
      replace(at, end, JSON.parse(json.slice(at, end)) as string)
      at = end
      continue
    }
    number.lastIndex = at
    if (number.test(json)) {
      replace(at, number.lastIndex, json.slice(at, number.lastIndex))
      at = number.lastIndex
    } else at++
  }
  return copied === 0 ? json : result + json.slice(copied)
}

const mapCall = (map: Map) => (call: Json) =>
  withField(
    withField(
      call,
      "function",
      mapIn((one) =>
        withField(
          one,
          "arguments",
          mapString((json) => mapJson(json, map))
        )
      )
    ),
    "custom",
    mapIn((one) => withField(one, "input", mapString(map)))
  )

const mapMessage = (message: ChatMessage, map: Map): ChatMessage => {
  const text = mapString(map)
  const parts = mapItems((part) => withField(withField(part, "text", text), "refusal", text))
  let mapped = withField(message, "content", (content) => (typeof content === "string" ? map(content) : parts(content)))
  for (const field of ["refusal", "reasoning", "reasoning_content"]) mapped = withField(mapped, field, text)
  mapped = withField(mapped, "tool_calls", mapItems(mapCall(map)))
  return withField(
    mapped,
    "function_call",
    mapIn((one) =>
      withField(
        one,
        "arguments",
        mapString((json) => mapJson(json, map))
      )
    )
  )
}

export const mapTexts = (messages: readonly ChatMessage[], map: MapText): readonly ChatMessage[] =>
  messages.map((message) => mapMessage(message, (text) => map(text, message.role)))
