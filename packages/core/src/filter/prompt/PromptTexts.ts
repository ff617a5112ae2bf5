/**
 * Every text of a request that a model sees, in messages and in all other fields, known or not, including names of members; and the
 * request with some texts replaced.
 *
 * Rule: content-filters#what-filters-see, content-filters#unscannable-parts. Unchanged parts stay the same objects. Arguments of tools stay
 * valid JSON, unchanged outside of replacements. Nothing recurses, so depth needs no stack, and every loop can pause between two steps.
 */
import { type ChatMessage, type ChatRole, maxChatValues } from "@gatewarden/contract/internal"
import { isPartType, type OpaquePart, opaqueParts } from "../../request/modelInput.ts"
import type { Fields } from "../../request/requestFields.ts"
import {
  base64TextOf,
  dataUrlOf,
  decodeText,
  type EncodedText,
  encodeText,
  hidesContent,
  mediaTypeBeside
} from "./encodedText.ts"
import {
  addressOf,
  isLink,
  isOpaque,
  mayBeRead,
  meaningOf,
  memberOf,
  roleOfItem,
  sizesNumber,
  userFields
} from "./promptFields.ts"
import { type JsonText, jsonTexts } from "./jsonTexts.ts"

export interface Prompt {
  readonly messages: readonly ChatMessage[]
  /** The fields sent to a model in addition to the messages: `tools`, `response_format`, `stop` and all others. */
  readonly fields: Fields
}

export interface PromptText {
  readonly text: string
  /** The role of its message or of its item of `input`; `null` in another field. */
  readonly role: ChatRole | null
  /**
   * Texts with the same number are adjacent parts of one content, which a model reads as one text, or the name and the value of a member;
   * -1 for other texts.
   */
  readonly run: number
  /** Whether it is the name or the value of a member, which may tell what the value is. */
  readonly isMember: boolean
  /** Whether it is an id or a setting, which is scanned for credentials only. */
  readonly isToken: boolean
  /** Whether it names content or a field, which no redaction may change: the provider would read other content, or none. */
  readonly isAddress: boolean
}

type Where = Omit<PromptText, "text" | "role">

const alone: Where = { run: -1, isMember: false, isToken: false, isAddress: false }

/** An object or an array of the request; copied if something in it is replaced. */
interface Holder {
  readonly value: Record<string, unknown> | unknown[]
  readonly parent: Holder | undefined
  readonly key: string | number
  readonly role: ChatRole | null
  /** That of its next part, if it is a content. */
  run: number
  /** The opaque part that it belongs to. */
  readonly part: Part | undefined
  /** Whether it is what a tool is given or answers, where a member says something whatever its name is. */
  readonly isData: boolean
  copy: Record<string, unknown> | unknown[] | undefined
}

/** A part of a content that may be unreadable. */
interface Part {
  readonly type: string
  readonly kind: OpaquePart["kind"]
  isRead: boolean
  isOpaque: boolean
}

/** The location of texts, the first one by its index: a name or a value, encoded data in a value, or a value that is JSON. */
interface Site {
  readonly holder: Holder
  readonly key: string | number
  readonly first: number
  readonly within?: "name" | EncodedText | readonly JsonText[]
}

type Replaced = ReadonlyMap<number, string>

/** The object to write to: a copy, within the copy of its parent. */
const writable = (holder: Holder): Record<string, unknown> | unknown[] => {
  const path: Holder[] = []
  for (let one: Holder | undefined = holder; one !== undefined && one.copy === undefined; one = one.parent)
    path.push(one)
  for (const one of path.toReversed()) {
    one.copy = Array.isArray(one.value) ? [...one.value] : { ...one.value }
    if (one.parent?.copy !== undefined) Reflect.set(one.parent.copy, one.key, one.copy)
  }
  return holder.copy as Record<string, unknown> | unknown[]
}

/** The same members in the same order, some of them under other names; two that would have the same are numbered. */
const renameMembers = (object: object, names: ReadonlyMap<string, string>): void => {
  const members = Object.entries(object)
  for (const [name] of members) Reflect.deleteProperty(object, name)
  const kept = new Set(members.map(([name]) => name).filter((name) => !names.has(name)))
  const numbers = new Map<string, number>()
  for (const [name, value] of members) {
    const wanted = names.get(name)
    let free = wanted ?? name
    let number = numbers.get(free) ?? 1
    if (wanted !== undefined)
      for (; kept.has(free) || Object.hasOwn(object, free); free = `${wanted}_${number}`) number++
    if (wanted !== undefined) numbers.set(wanted, number)
    Object.defineProperty(object, free, { value, writable: true, enumerable: true, configurable: true })
  }
}

const stepSites = 1_000

/** Fields of a request are named so: whoever renames one asks for something else. */
const parameterName = /^[a-z]+(?:_[a-z]+)*$/

/** As numbers in JSON texts. */
const shortestNumber = 7

/** Types of parts that are text, whatever else is in them. */
const textTypes: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text", "refusal"])

/** Whether texts before and after a part are not one text. An unknown part may be text itself. */
const standsBetween = (part: Part | undefined, value: object): boolean =>
  part !== undefined && part.kind !== "unknown" && !textTypes.has(Reflect.get(value, "type"))

/** The text of a part that is text. */
const textNames: ReadonlySet<string> = new Set(["text", "input_text", "output_text", "refusal"])
/** Lists whose parts a model reads as one text. */
const contents: ReadonlySet<string | number> = new Set(["content", "system", "output", "summary"])
/** What a tool is given, and what it answers. */
const toolData: ReadonlySet<string> = new Set(["arguments", "input", "output"])
/** What a schema shows of values, where a member says something whatever its name is. */
const shownData: ReadonlySet<string> = new Set(["input_examples", "examples", "example", "default", "const", "enum"])
/** Members of these are what a JSON Schema calls so. */
const schemas: ReadonlySet<string | number> = new Set(["properties", "patternProperties", "$defs", "definitions"])

export class PromptTexts {
  readonly texts: PromptText[] = []
  /** The types of the parts that could not be read. */
  readonly unscanned: string[] = []
  /** Whether all was read. Otherwise the texts are incomplete, and no part counts as read. */
  isWhole = true
  readonly #sites: Site[] = []
  /** Parts that are a single string, by the object or the list that has it, and their name or index there. */
  readonly #strings = new Map<object, Map<string | number, Part>>()
  readonly #roots: { readonly messages: Holder; readonly fields: Holder }
  #runs = 0

  private constructor(prompt: Prompt) {
    const root = { parent: undefined, key: "", role: null, run: -1, part: undefined, isData: false, copy: undefined }
    this.#roots = {
      messages: { ...root, value: prompt.messages as unknown as unknown[] },
      fields: { ...root, value: prompt.fields as Record<string, unknown> }
    }
  }

  /** Reads a request until it `isLate`. It has at most as many texts as a body has values: the JSON in a string may have more. */
  static *of(prompt: Prompt, isLate: () => boolean): Generator<void, PromptTexts> {
    const read = new PromptTexts(prompt)
    const parts = yield* read.#partsOf(prompt)
    for (const _ of read.#readTexts(parts)) {
      read.isWhole &&= read.texts.length <= maxChatValues && !isLate()
      if (!read.isWhole) break
      yield
    }
    for (const { type, kind, isRead, isOpaque } of parts.values())
      // An unknown part may have content that is not in its strings.
      if (!read.isWhole || kind !== "known" || isOpaque || !isRead) read.unscanned.push(type)
    return read
  }

  *#partsOf({ messages, fields }: Prompt): Generator<void, Map<object, Part>> {
    const parts = new Map<object, Part>()
    for (const found of opaqueParts(messages, fields)) {
      if (found !== undefined) {
        const part = { type: found.type, kind: found.kind, isRead: false, isOpaque: false }
        parts.set(found.part, part)
        if (found.within !== undefined) this.#addString(found.within, part)
      }
      if (parts.size % stepSites === stepSites - 1) yield
    }
    return parts
  }

  *#readTexts(parts: ReadonlyMap<object, Part>): Generator<void> {
    let steps = 0
    for (const root of [this.#roots.messages, this.#roots.fields]) {
      const open: Holder[] = [root]
      for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
        const inner: Holder[] = []
        const { value } = holder
        const names = Array.isArray(value) ? value.keys() : Object.keys(value)
        for (const key of names) {
          const member: unknown = Reflect.get(value, key)
          const name = this.texts.length
          if (typeof key === "string" && (root !== holder || !parameterName.test(key))) this.#addName(holder, key)
          const texts = this.texts.length
          if (typeof member === "object" && member !== null) inner.push(this.#open(holder, key, member, parts))
          else yield* this.#add(holder, key, member)
          if (texts > name && this.texts.length === texts + 1 && this.#namesValues(holder)) this.#pair(texts)
          if (++steps % stepSites === 0) yield
        }
        // The first comes first.
        for (let index = inner.length - 1; index >= 0; index--) open.push(inner[index] as Holder)
      }
    }
    yield
  }

  #addString({ holder, key }: NonNullable<OpaquePart["within"]>, part: Part): void {
    const others = this.#strings.get(holder)
    if (others === undefined) this.#strings.set(holder, new Map([[key, part]]))
    else others.set(key, part)
  }

  #open(holder: Holder, key: string | number, value: object, parts: ReadonlyMap<object, Part>): Holder {
    const isContent = typeof key === "string" && contents.has(key) && Array.isArray(value)
    const isBetween = holder.run !== -1 && Array.isArray(holder.value) && standsBetween(parts.get(value), value)
    if (isBetween) holder.run = this.#runs++
    const run = isContent ? this.#runs++ : Array.isArray(holder.value) ? holder.run : -1
    if (isBetween) holder.run = this.#runs++
    const beginsData = !holder.isData && this.#beginsData(holder, key, value)
    return {
      value: value as Holder["value"],
      parent: holder,
      key,
      role: this.#roleOf(holder, key, value),
      run,
      // What a tool is given is text, also in a part of a type that is not known.
      part: parts.get(value) ?? (beginsData ? undefined : holder.part),
      isData: holder.isData || beginsData,
      copy: undefined
    }
  }

  /** Whose a member is. `/responses` and embeddings have what users wrote in a field. */
  #roleOf(holder: Holder, key: string | number, value: unknown): ChatRole | null {
    const { messages, fields } = this.#roots
    if (holder === messages) return (value as ChatMessage).role
    if (holder === fields) return typeof key === "string" && userFields.has(key) ? "user" : null
    const isItem = holder.parent === fields && userFields.has(String(holder.key)) && typeof key === "number"
    return isItem && typeof value === "object" && value !== null ? roleOfItem(value) : holder.role
  }

  /** Arguments and results of tools. A list of results has parts of content, and perhaps data between them. */
  #beginsData(holder: Holder, key: string | number, value: object): boolean {
    if (holder === this.#roots.fields || schemas.has(holder.key)) return false
    if (typeof key === "string")
      return shownData.has(key) || (toolData.has(key) && (key !== "output" || !Array.isArray(value)))
    return holder.key === "output" && !isPartType(Reflect.get(value, "type"))
  }

  /** Whether its members are data, and no fields that a provider knows. */
  #namesValues({ isData, parent, key }: Holder): boolean {
    return isData || (parent === this.#roots.fields && key === "metadata")
  }

  /** Reads a text with the one before, which is its name. */
  #pair(value: number): void {
    const [name, own] = [this.texts[value - 1], this.texts[value]]
    if (name === undefined || own === undefined) return
    const pair = [name, own]
    if (pair.some(({ run, isToken, isAddress }) => run !== -1 || isToken || isAddress)) return
    const run = this.#runs++
    for (const [index, text] of pair.entries()) this.texts[value - 1 + index] = { ...text, run, isMember: true }
  }

  #addName(holder: Holder, name: string): void {
    // A field under a new name stands beside the old one where a data plane merges the two.
    const isAddress = holder === this.#roots.fields
    if (mayBeRead(name)) this.#put({ holder, key: name, within: "name" }, name, { isAddress })
  }

  #put(site: Omit<Site, "first">, text: string, of: Partial<Where> = {}): void {
    this.#sites.push({ first: this.texts.length, ...site })
    const { holder, key } = site
    const role = holder === this.#roots.fields ? this.#roleOf(holder, key, text) : holder.role
    this.texts.push({ text, role, ...alone, ...of })
  }

  *#add(holder: Holder, key: string | number, member: unknown): Generator<void> {
    const { value } = holder
    const own = this.#strings.get(value)?.get(key)
    const part = own ?? holder.part
    const name = typeof key === "string" ? key : String(holder.key)
    if (typeof member === "number") {
      // Bytes, as a list of numbers.
      if (part?.kind === "known" && typeof key === "number") part.isOpaque = true
      const text = String(member)
      if (text.length >= shortestNumber && (holder.isData || !sizesNumber(name))) this.#put({ holder, key }, text)
      return
    }
    if (typeof member !== "string" || member === "") return
    const meaning = holder.isData ? "text" : meaningOf(name, member, value)
    if (meaning === "token") this.#put({ holder, key }, member, { isToken: true })
    if (meaning !== "text") return
    if (name === "arguments") return yield* this.#addJson(holder, key, member)
    if (part !== undefined && textNames.has(name)) part.isRead = true
    else if (part !== undefined) {
      const encoded = dataUrlOf(member) ?? base64TextOf(name, member, value)
      const decoded = encoded && (yield* decodeText(encoded))
      if (encoded !== undefined && decoded !== undefined) {
        const { readings, isPlain } = decoded
        if (isPlain) part.isRead = true
        else part.isOpaque = true
        // Nobody knows what a redaction would change for a reader.
        const isAddress = !isPlain || readings.length > 1
        for (const text of readings) this.#put({ holder, key, within: encoded }, text, { isAddress })
        return
      }
      const is = part.kind === "known" ? memberOf(name, value, holder.key) : "text"
      if (
        encoded !== undefined ||
        isOpaque(name, member, value) ||
        ((is === "payload" || own !== undefined) && isLink(member))
      ) {
        part.isOpaque = true
        const address = addressOf(name, member)
        if (address !== undefined) this.#put({ holder, key }, address, { isAddress: true })
        return
      }
      const mediaType = is === "text" ? mediaTypeBeside(value) : ""
      const isMarkup = mediaType !== "" && mediaType !== "text/plain"
      if (is === "payload" || (isMarkup && (yield* hidesContent(member, mediaType)))) part.isOpaque = true
      if (is === "text") part.isRead = true
    }
    const isPartOfContent = textNames.has(name) || (typeof key === "number" && contents.has(holder.key))
    this.#put({ holder, key }, member, { run: isPartOfContent ? holder.run : -1 })
  }

  /** Scans names, strings and long numbers of a JSON text; a text that is not JSON is scanned as a whole. */
  *#addJson(holder: Holder, key: string | number, json: string): Generator<void> {
    const found = yield* jsonTexts(json, maxChatValues - this.texts.length)
    if (found === undefined) return this.#put({ holder, key }, json)
    if (found.length > 0) this.#sites.push({ holder, key, first: this.texts.length, within: found })
    let nameEnd: number | undefined
    for (const [index, { start, end, isString }] of found.entries()) {
      const written = json.slice(start, end)
      this.texts.push({ text: isString ? (JSON.parse(written) as string) : written, ...alone, role: holder.role })
      if (nameEnd === start) this.#pair(this.texts.length - 1)
      nameEnd = valueBehind(json, end)
      if (index % stepSites === stepSites - 1) yield
    }
  }

  /** The request with some texts replaced, by index. */
  *rewrite(replaced: Replaced): Generator<void, Prompt> {
    const renamed = new Map<Holder, Map<string, string>>()
    for (const [index, { holder, key, first, within }] of this.#sites.entries()) {
      if (index % stepSites === stepSites - 1) yield
      if (within !== undefined && typeof within === "object" && !("mediaType" in within)) {
        const written = yield* rewriteJson(Reflect.get(holder.value, key) as string, within, first, replaced)
        if (written !== undefined) Reflect.set(writable(holder), key, written)
        continue
      }
      const text = replaced.get(first)
      if (text === undefined) continue
      if (within !== "name") Reflect.set(writable(holder), key, within === undefined ? text : encodeText(within, text))
      else {
        const names = renamed.get(holder) ?? new Map<string, string>()
        renamed.set(holder, names.set(String(key), text))
      }
    }
    // Replaces names last, the deepest first, because members are looked up by their old names until then.
    for (const [holder, names] of [...renamed].toReversed()) {
      renameMembers(writable(holder), names)
      yield
    }
    const { messages, fields } = this.#roots
    return {
      messages: (messages.copy ?? messages.value) as unknown as readonly ChatMessage[],
      fields: (fields.copy ?? fields.value) as Fields
    }
  }
}

const colon = /[ \t\n\r]*:[ \t\n\r]*/y

/** Where the value begins whose name ends there; undefined if no name does. */
const valueBehind = (json: string, end: number): number | undefined => {
  colon.lastIndex = end
  return colon.test(json) ? colon.lastIndex : undefined
}

/** Undefined if nothing in it was replaced. */
function* rewriteJson(
  json: string,
  found: readonly JsonText[],
  first: number,
  replaced: Replaced
): Generator<void, string | undefined> {
  let result = ""
  let copied = 0
  for (const [index, { start, end }] of found.entries()) {
    if (index % stepSites === stepSites - 1) yield
    const text = replaced.get(first + index)
    if (text === undefined) continue
    result += json.slice(copied, start) + JSON.stringify(text)
    copied = end
  }
  return copied === 0 ? undefined : result + json.slice(copied)
}
