/** Puts back what was redacted, wherever an answer of typed items and blocks has what a model wrote. */
import { type Fields, isFields, type Shaping } from "./Dialect.ts"
import type { Restorer } from "./restoreChat.ts"

/** Members that are text. */
const texts: ReadonlySet<string> = new Set(["text", "refusal", "instructions", "query", "cited_text", "code", "diff"])
/** Members that are JSON as text. */
const jsonTexts: ReadonlySet<string> = new Set(["arguments"])
/** Members that are text, or a structure with text in any member: the input of a tool, a command, a patch, the terms of a search. */
const inputs: ReadonlySet<string> = new Set(["input", "action", "operation", "queries"])

const everywhere = (value: unknown, restore: Restorer): unknown => {
  if (typeof value === "string") return restore.text(value)
  if (Array.isArray(value)) return value.map((item) => everywhere(item, restore))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everywhere(member, restore)]))
}

const restoreMember = (name: string, member: unknown, restore: Restorer): unknown => {
  if (inputs.has(name)) return everywhere(member, restore)
  if (typeof member !== "string") return restoreTexts(member, restore)
  if (texts.has(name)) return restore.text(member)
  return jsonTexts.has(name) ? restore.text(member, { json: true }) : member
}

/** What a provider has signed stays as it is: `thinking`, `signature` and encrypted content. */
export const restoreTexts = (value: unknown, restore: Restorer): unknown => {
  if (Array.isArray(value)) return value.map((item) => restoreTexts(item, restore))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, restoreMember(name, member, restore)]))
}

/** An answer under the id of the generation and the names of the catalog, with what was redacted put back. */
export const named = (answer: Fields, { id, answering, restore }: Shaping): Fields => ({
  ...(restore === undefined ? answer : (restoreTexts(answer, restore) as Fields)),
  id,
  ...answering
})

/** Texts that arrive in pieces, each by its place. What may become a placeholder waits for the piece that ends it, or for the text's end. */
export const restorePieces = (restore: Restorer) => {
  const open = new Map<string, { readonly stream: ReturnType<Restorer["stream"]>; last: (rest: string) => Fields }>()
  const end = (place: string): readonly Fields[] => {
    const found = open.get(place)
    open.delete(place)
    const rest = found?.stream.end() ?? ""
    return found === undefined || rest === "" ? [] : [found.last(rest)]
  }
  return {
    /** `eventOf`: an event that brings so much of the text. */
    push: (place: string, piece: string, json: boolean, eventOf: (text: string) => Fields): readonly Fields[] => {
      const found = open.get(place) ?? { stream: restore.stream({ json }), last: eventOf }
      found.last = eventOf
      open.set(place, found)
      const text = found.stream.push(piece)
      return text === "" ? [] : [eventOf(text)]
    },
    /** What waits of one text. */
    end,
    endAll: (): readonly Fields[] => [...open.keys()].flatMap(end)
  }
}
