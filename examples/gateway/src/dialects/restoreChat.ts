/** Puts back what was redacted in the messages of a chat, and in a stream in each text that its deltas bring in pieces. */
import { type Fields, isFields } from "./Dialect.ts"
import { changeTexts, type Path, type Restorer, restoreTexts } from "./restoreTexts.ts"

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
  changeChoices(answer, "message", (_, message) => restoreTexts(message, restore) as Fields)

/** For the chunks of one stream, in their order. What may become a placeholder waits for the chunk that ends it, or its choice. */
export interface ChunkRestorer {
  readonly push: (chunk: Fields) => Fields
  /** One more chunk, where the stream ended with something waiting. */
  readonly end: () => Fields | undefined
}

/** Whether no later delta continues the text at a path: it is of an annotation, or within a part of a content. */
const isWhole = ([name, ...rest]: Path): boolean => name === "annotations" || (name === "content" && rest.length > 2)

/** A value with a further piece of the text at a path. */
const withPiece = (value: unknown, [name, ...rest]: Path, piece: string): unknown => {
  if (name === undefined) {
    if (Array.isArray(value)) return [...value, { type: "text", text: piece }]
    return (typeof value === "string" ? value : "") + piece
  }
  if (typeof name === "number")
    return [...(Array.isArray(value) ? value : []), { index: name, ...(withPiece({}, rest, piece) as Fields) }]
  const fields = isFields(value) ? value : {}
  return { ...fields, [name]: withPiece(fields[name], rest, piece) }
}

/** A text that comes in pieces. */
interface Open {
  readonly path: Path
  readonly stream: ReturnType<Restorer["stream"]>
}

export const restoreChunks = (restore: Restorer): ChunkRestorer => {
  let last: Fields = {}
  /** By the index of their choice. */
  const choices = new Map<number, Map<string, Open>>()
  const push = (delta: Fields, open: Map<string, Open>): Fields =>
    changeTexts(delta, (text, json, at) => {
      if (isWhole(at)) return restore.text(text, { json })
      // Parts of a content continue each other.
      const path = at[0] === "content" ? ["content"] : at
      const place = path.join(" ")
      const found = open.get(place) ?? { path, stream: restore.stream({ json }) }
      open.set(place, found)
      return found.stream.push(text)
    }) as Fields
  /** What is left of a choice that has ended, as one more delta. */
  const rest = (choice: number, delta: Fields): Fields => {
    const open = [...(choices.get(choice)?.values() ?? [])]
    choices.delete(choice)
    return open.reduce<Fields>((ended, { path, stream }) => {
      const piece = stream.end()
      return piece === "" ? ended : (withPiece(ended, path, piece) as Fields)
    }, delta)
  }
  return {
    push: (chunk) => {
      last = chunk
      return changeChoices(chunk, "delta", ({ index, finish_reason }, delta) => {
        const choice = typeof index === "number" ? index : 0
        const open = choices.get(choice) ?? new Map<string, Open>()
        choices.set(choice, open)
        const changed = push(delta, open)
        return finish_reason == null ? changed : rest(choice, changed)
      })
    },
    end: () => {
      const open = [...choices.keys()]
        .map((index) => ({ index, delta: rest(index, {}), finish_reason: null }))
        .filter(({ delta }) => Object.keys(delta).length > 0)
      const { id, object, created } = last
      return open.length === 0 ? undefined : { id, object, created, choices: open }
    }
  }
}
