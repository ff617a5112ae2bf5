/**
 * Rewrites every text of a conversation and nothing else: names, contents, text parts and what lies within parts, refusals, reasoning,
 * and what the arguments of tool calls say. What nothing was changed in stays the same object; arguments stay valid JSON, byte for byte
 * elsewhere.
 *
 * It may be left between any two texts.
 */
import type { ChatMessage, ChatRole } from "@gatewarden/contract"
import { jsonTexts } from "./jsonTexts.ts"

export type MapText = (text: string, role: ChatRole) => string
type Map = (text: string) => string
type Json = Readonly<Record<string, unknown>>
type MapValue = (value: unknown, map: Map) => Generator<void, unknown>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Maps what strings and long numbers of a JSON text say; a text that is none is mapped as a whole. */
export function* mapJson(json: string, map: Map): Generator<void, string> {
  const texts = yield* jsonTexts(json)
  if (texts === undefined) return map(json)
  let result = ""
  let copied = 0
  for (const { start, end, isString } of texts) {
    const written = json.slice(start, end)
    const before = isString ? (JSON.parse(written) as string) : written
    const after = map(before)
    if (after !== before) {
      result += json.slice(copied, start) + JSON.stringify(after)
      copied = end
    }
    yield
  }
  return copied === 0 ? json : result + json.slice(copied)
}

/** A copy with these fields mapped, or the object itself where that changes nothing. */
const withFields = (fields: Readonly<Record<string, MapValue>>) => {
  const entries = Object.entries(fields)
  return function* <T extends Json>(object: T, map: Map): Generator<void, T> {
    let mapped = object
    for (const [field, mapValue] of entries) {
      const before = object[field]
      if (before === undefined || before === null) continue
      const after = yield* mapValue(before, map)
      if (after !== before) mapped = { ...mapped, [field]: after }
    }
    return mapped
  }
}

const text: MapValue = function* (value, map) {
  return typeof value === "string" ? map(value) : value
}

/** Some clients and providers write arguments as the object that others write as a JSON text. */
const json: MapValue = function* (value, map) {
  if (typeof value === "string") return yield* mapJson(value, map)
  if (typeof value !== "object" || value === null) return value
  const before = JSON.stringify(value)
  const after = yield* mapJson(before, map)
  return after === before ? value : JSON.parse(after)
}

const within = (fields: Readonly<Record<string, MapValue>>): MapValue => {
  const mapObject = withFields(fields)
  return function* (value, map) {
    return isObject(value) ? yield* mapObject(value, map) : value
  }
}

const eachOf = (mapItem: MapValue): MapValue =>
  function* (value, map) {
    if (!Array.isArray(value)) return value
    const mapped: unknown[] = []
    for (const item of value) {
      mapped.push(yield* mapItem(item, map))
      yield
    }
    return mapped.some((item, index) => item !== value[index]) ? mapped : value
  }

/** A text, or parts, of which the result of a tool has its own. */
function* content(value: unknown, map: Map): Generator<void, unknown> {
  return typeof value === "string" ? map(value) : yield* parts(value, map)
}

const parts = eachOf(within({ text, refusal: text, thinking: text, content, input: json }))

const called = within({ arguments: json })

const mapMessage = withFields({
  name: text,
  content,
  refusal: text,
  reasoning: text,
  reasoning_content: text,
  reasoning_details: eachOf(within({ text, summary: text })),
  tool_calls: eachOf(within({ function: called, custom: within({ input: text }) })),
  function_call: called
})

export function* mapTexts(messages: readonly ChatMessage[], map: MapText): Generator<void, readonly ChatMessage[]> {
  const mapped: ChatMessage[] = []
  for (const message of messages) {
    mapped.push(yield* mapMessage(message, (one) => map(one, message.role)))
    yield
  }
  return mapped
}
