/** Puts back what was redacted on the way out, wherever a model has written it: in what it says, and in the arguments of its tools. */
import type { GrantedAdmission } from "@gatewarden/core"
import { type Fields, isFields } from "./Dialect.ts"

export type Restorer = NonNullable<GrantedAdmission["restore"]>
const said: readonly string[] = ["content", "reasoning", "reasoning_content", "refusal"]

/** What happens to one text: `place` tells texts of a stream apart. */
type Change = (text: string, place: string, options: { readonly json: boolean }) => string

const changeTool = (tool: unknown, at: number, place: string, change: Change): unknown => {
  if (!isFields(tool) || !isFields(tool["function"])) return tool
  const { arguments: written } = tool["function"]
  if (typeof written !== "string") return tool
  const index = typeof tool["index"] === "number" ? tool["index"] : at
  const changed = change(written, `${place} tool ${index}`, { json: true })
  return { ...tool, function: { ...tool["function"], arguments: changed } }
}

const changeMessage = (message: Fields, place: string, change: Change): Fields => {
  const changePart = (part: unknown): unknown =>
    isFields(part) && typeof part["text"] === "string"
      ? { ...part, text: change(part["text"], `${place} content`, { json: false }) }
      : part
  const changed = Object.entries(message).map(([name, value]) => {
    if (name === "content" && Array.isArray(value)) return [name, value.map(changePart)]
    if (typeof value === "string" && said.includes(name))
      return [name, change(value, `${place} ${name}`, { json: false })]
    if (name !== "tool_calls" || !Array.isArray(value)) return [name, value]
    return [name, value.map((tool, at) => changeTool(tool, at, place, change))]
  })
  return Object.fromEntries(changed) as Fields
}

/** `member`: where a choice has its message. */
const changeChoices = (
  answer: Fields,
  member: "message" | "delta",
  changeOne: (choice: Fields, message: Fields) => Fields
) => {
  const { choices } = answer
  if (!Array.isArray(choices)) return answer
  const changed = choices.map((choice: unknown) => {
    if (!isFields(choice)) return choice
    const before = isFields(choice[member]) ? choice[member] : undefined
    const after = changeOne(choice, before ?? {})
    return before === undefined && Object.keys(after).length === 0 ? choice : { ...choice, [member]: after }
  })
  return { ...answer, choices: changed }
}

export const restoreAnswer = (answer: Fields, restore: Restorer): Fields =>
  changeChoices(answer, "message", (_, message) =>
    changeMessage(message, "", (text, __, options) => restore.text(text, options))
  )

/** For the chunks of one stream, in their order. What may become a placeholder waits for the chunk that ends it, or its choice. */
export interface ChunkRestorer {
  readonly push: (chunk: Fields) => Fields
  /** One more chunk, where the stream ended with something waiting. */
  readonly end: () => Fields | undefined
}

export const restoreChunks = (restore: Restorer): ChunkRestorer => {
  let last: Fields = {}
  const streams = new Map<string, ReturnType<Restorer["stream"]>>()
  const push: Change = (text, place, options) => {
    const stream = streams.get(place) ?? restore.stream(options)
    streams.set(place, stream)
    return stream.push(text)
  }
  /** What is left of a choice that has ended, as one more delta. */
  const rest = (choice: string, delta: Fields): Fields => {
    const ended: Record<string, unknown> = { ...delta }
    for (const [place, stream] of streams) {
      if (!place.startsWith(`${choice} `)) continue
      const text = stream.end()
      streams.delete(place)
      if (text === "") continue
      const [, name = "", index] = place.slice(choice.length).split(" ")
      if (index === undefined) ended[name] = (typeof ended[name] === "string" ? ended[name] : "") + text
      else {
        const tools: readonly unknown[] = Array.isArray(ended["tool_calls"]) ? ended["tool_calls"] : []
        ended["tool_calls"] = [...tools, { index: Number(index), function: { arguments: text } }]
      }
    }
    return ended
  }
  return {
    push: (chunk) => {
      last = chunk
      return changeChoices(chunk, "delta", (choice, delta) => {
        const place = String(choice["index"] ?? 0)
        const changed = changeMessage(delta, place, push)
        return choice["finish_reason"] == null ? changed : rest(place, changed)
      })
    },
    end: () => {
      const open = [...new Set([...streams.keys()].map((place) => place.slice(0, place.indexOf(" "))))]
      const choices = open
        .map((choice) => ({ index: Number(choice), delta: rest(choice, {}), finish_reason: null }))
        .filter(({ delta }) => Object.keys(delta).length > 0)
      const { id, object, created } = last
      return choices.length === 0 ? undefined : { id, object, created, choices }
    }
  }
}
