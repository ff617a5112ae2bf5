/**
 * Puts back what was redacted, wherever an answer has what a model wrote: in a message, a delta, an item or a block.
 *
 * Rule: content-filters#actions.
 */
import type { GrantedAdmission } from "@gatewarden/core"
import { type Fields, isFields, type Shaping } from "./Dialect.ts"

export type Restorer = NonNullable<GrantedAdmission["restore"]>

/**
 * The type of members with these names, at any depth. `json`: JSON as text. `all`: a text, or a structure with text in any member, such as
 * the input of a tool, a command, a patch or the terms of a search. `kept`: the provider may have signed it. Members with other names are
 * no text, or are signed or encrypted: `thinking`, `signature`, `encrypted_content`.
 */
const members: ReadonlyMap<string, "text" | "json" | "all" | "kept"> = new Map([
  ...[
    "text",
    "content",
    "reasoning",
    "reasoning_content",
    "refusal",
    "instructions",
    "transcript",
    "query",
    "title",
    "cited_text",
    "code",
    "diff",
    "logs",
    "output",
    "stdout",
    "stderr"
  ].map((name) => [name, "text"] as const),
  ["arguments", "json"],
  ["input", "all"],
  ["action", "all"],
  ["operation", "all"],
  ["queries", "all"],
  ["reasoning_details", "kept"]
])

/** Names of members, and of an entry of a list its `index`, or its position. */
export type Path = readonly (string | number)[]

/** What happens to one text. The path is its own until it returns. */
export type Change = (text: string, json: boolean, path: Path) => string

const indexOf = (entry: unknown, at: number): number =>
  isFields(entry) && typeof entry["index"] === "number" ? entry["index"] : at

/**
 * `isText`: every text is one that the model wrote, and not only those in members with names of the table; `changeName` changes the names
 * there. `path`: changed on the way, because a copy for each value takes the time of all values times their depth.
 */
export const changeTexts = (
  value: unknown,
  change: Change,
  changeName: (name: string) => string = (name) => name,
  path: (string | number)[] = [],
  isText = false
): unknown => {
  const within = (name: string | number, changed: () => unknown): unknown => {
    path.push(name)
    const result = changed()
    path.pop()
    return result
  }
  if (typeof value === "string") return isText ? change(value, false, path) : value
  if (Array.isArray(value))
    return value.map((entry: unknown, at) =>
      within(indexOf(entry, at), () => changeTexts(entry, change, changeName, path, isText))
    )
  if (!isFields(value)) return value
  const changed = Object.entries(value).map(([name, member]) => {
    const what = members.get(name)
    if (isText) return [changeName(name), within(name, () => changeTexts(member, change, changeName, path, true))]
    if (what === "kept") return [name, member]
    if (typeof member === "string" && what !== undefined)
      return [name, within(name, () => change(member, what === "json", path))]
    return [name, within(name, () => changeTexts(member, change, changeName, path, what === "all" || what === "json"))]
  })
  return Object.fromEntries(changed)
}

export const restoreTexts = (value: unknown, restore: Restorer): unknown =>
  changeTexts(
    value,
    (text, json) => restore.text(text, { json }),
    (name) => restore.text(name, { json: false })
  )

/** An answer under the id of the generation and the names of the catalog, with what was redacted put back. */
export const named = (answer: Fields, { id, answering, restore }: Shaping): Fields => ({
  ...(restore === undefined ? answer : (restoreTexts(answer, restore) as Fields)),
  id,
  ...answering
})

/** Characters that may wait in one stream, with their places; a place counts some of its own. No model writes more at a time. */
const mostHeld = 262_144
const ofPlace = 1_024

/** What counts for all texts of one stream that wait. */
export interface Holding {
  readonly restore: Restorer
  held: number
}

/**
 * Texts that arrive in pieces, each by its place. What may become a placeholder waits for the piece that ends it, or for the text's end.
 * Nothing is kept of a text of which nothing waits: a stream may have any number of them. Throws where too much waits.
 */
export const heldTexts = (holding: Holding) => {
  /** What waits, and what is kept for it. */
  const open = new Map<string, readonly [text: string, kept: string]>()
  const sizeOf = (place: string): number => {
    const found = open.get(place)
    return found === undefined ? 0 : place.length + found[0].length + found[1].length + ofPlace
  }
  const take = (place: string) => {
    const found = open.get(place)
    holding.held -= sizeOf(place)
    open.delete(place)
    return found
  }
  return {
    isEmpty: () => open.size === 0,
    places: (): readonly string[] => [...open.keys()],
    /** What of the text can be passed on. `keep`: what is kept for what waits. */
    push: (place: string, piece: string, json: boolean, keep: (rest: string) => string): string => {
      const [before = ""] = take(place) ?? []
      const stream = holding.restore.stream({ json })
      const text = stream.push(before + piece)
      const rest = stream.end()
      if (rest !== "") {
        // As a copy: a part of a text would keep the whole in memory.
        open.set(place, [JSON.parse(JSON.stringify(rest)) as string, keep(rest)])
        holding.held += sizeOf(place)
        if (holding.held > mostHeld) throw new Error("too much waits")
      }
      return text
    },
    /** What waits of one text, and what is kept for it. */
    take
  }
}

/** The same as events, of which the last of a text is repeated for its rest. */
export const restorePieces = (restore: Restorer) => {
  const held = heldTexts({ restore, held: 0 })
  const end = (place: string): readonly Fields[] => {
    const [, kept] = held.take(place) ?? []
    return kept === undefined ? [] : [JSON.parse(kept) as Fields]
  }
  return {
    /** `eventOf`: an event that brings so much of the text. */
    push: (place: string, piece: string, json: boolean, eventOf: (text: string) => Fields): readonly Fields[] => {
      const text = held.push(place, piece, json, (rest) => JSON.stringify(eventOf(rest)))
      return text === "" ? [] : [eventOf(text)]
    },
    /** What waits of one text. */
    end,
    endAll: (): readonly Fields[] => held.places().flatMap(end)
  }
}
