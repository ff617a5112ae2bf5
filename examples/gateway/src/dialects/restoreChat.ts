/** Puts back what was redacted in the messages of a chat, and in a stream in each text that its deltas bring in pieces. */
import { type Fields, isFields } from "./Dialect.ts"
import { changeTexts, heldTexts, type Path, type Restorer, restoreTexts } from "./restoreTexts.ts"

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
const isWhole = (path: Path): boolean => path[0] === "annotations" || (path[0] === "content" && path.length > 3)

/** A value with a further piece of the text at a path. What has members is changed in place: there may be many, and many pieces. */
const withPiece = (value: unknown, [name, ...rest]: Path, piece: string): unknown => {
  if (name === undefined) {
    if (!Array.isArray(value)) return (typeof value === "string" ? value : "") + piece
    value.push({ type: "text", text: piece })
    return value
  }
  if (typeof name === "number") {
    const list: unknown[] = Array.isArray(value) ? value : []
    list.push({ index: name, ...(withPiece({}, rest, piece) as Fields) })
    return list
  }
  const fields = isFields(value) ? value : {}
  // As its own, also where it is called like what all objects have.
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  const changed = withPiece(before, rest, piece)
  return Object.defineProperty(fields, name, { value: changed, writable: true, enumerable: true, configurable: true })
}

export const restoreChunks = (restore: Restorer): ChunkRestorer => {
  let last: Fields = {}
  const holding = { restore, held: 0 }
  /** By the index of their choice, those of which something waits. Their places are paths. */
  const choices = new Map<number, ReturnType<typeof heldTexts>>()
  const push = (delta: Fields, open: ReturnType<typeof heldTexts>): Fields =>
    changeTexts(delta, (text, json, at) => {
      if (isWhole(at)) return restore.text(text, { json })
      // Parts of a content continue each other.
      const path = at[0] === "content" ? ["content"] : at
      return open.push(JSON.stringify(path), text, json, () => "")
    }) as Fields
  /** What is left of a choice that has ended, as one more delta. */
  const rest = (choice: number, delta: Fields): Fields => {
    const open = choices.get(choice)
    choices.delete(choice)
    let ended = delta
    for (const place of open?.places() ?? []) {
      const [piece = ""] = open?.take(place) ?? []
      ended = withPiece(ended, JSON.parse(place) as Path, piece) as Fields
    }
    return ended
  }
  return {
    push: (chunk) => {
      last = chunk
      return changeChoices(chunk, "delta", ({ index, finish_reason }, delta) => {
        const choice = typeof index === "number" ? index : 0
        const open = choices.get(choice) ?? heldTexts(holding)
        const changed = push(delta, open)
        if (open.isEmpty()) choices.delete(choice)
        else choices.set(choice, open)
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
