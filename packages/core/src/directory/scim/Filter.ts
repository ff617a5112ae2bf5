/** A filter that was parsed, its names resolved. Source: RFC 7644 3.4.2.2. */
import { type ScimAttribute, codePoints, parseInstant, scimLimits, withPlus } from "@gatewarden/contract/internal"
import { formatInstant } from "../../value/calendar.ts"
import { compareText } from "../../value/text.ts"
import {
  type AttributePath,
  type ResourceKind,
  type Values,
  attributeAt,
  isValues,
  subAttributeNamed
} from "./ResourceKind.ts"

export const comparisons = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const
export type Comparison = (typeof comparisons)[number]

export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | { readonly kind: "present"; readonly path: AttributePath }
  /** One value of an attribute satisfies all of the filter, whose paths are within the value. */
  | { readonly kind: "some"; readonly path: AttributePath; readonly filter: Filter }
  | {
      readonly kind: "compare"
      readonly comparison: Comparison
      readonly path: AttributePath
      /** The attribute whose values are compared. */
      readonly compared: ScimAttribute
      readonly value: string | boolean | null
    }

/** The path of a PATCH operation. */
export interface SelectedPath extends AttributePath {
  /** Selects values of an attribute that may have several. */
  readonly filter: Filter | undefined
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

class Malformed extends Error {}

type Token =
  | { readonly kind: "word" | "string"; readonly text: string; readonly at: number }
  | { readonly kind: "mark"; readonly text: "(" | ")" | "[" | "]" | "."; readonly at: number }

const wordPattern = /[A-Za-z0-9_$:.+-]+/y
const stringPattern = /"(?:[^"\\]|\\.)*"/y
const blankPattern = /\s+/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const blank = matchAt(blankPattern, text, at)
    if (blank !== undefined) {
      at += blank.length
      continue
    }
    const character = text[at] ?? ""
    if ("()[]".includes(character)) {
      tokens.push({ kind: "mark", text: character as "(", at })
      at += 1
      // The name of a part behind a selection: `emails[…].value`.
      if (character === "]" && text[at] === ".") {
        tokens.push({ kind: "mark", text: ".", at })
        at += 1
      }
      continue
    }
    const quoted = matchAt(stringPattern, text, at)
    const word = quoted === undefined ? matchAt(wordPattern, text, at) : undefined
    if (quoted !== undefined) tokens.push({ kind: "string", text: quoted, at })
    else if (word !== undefined) tokens.push({ kind: "word", text: word, at })
    else throw new Malformed(`Unexpected character at ${at + 1}`)
    at += (quoted ?? word ?? "").length
  }
  return tokens
}

/** Where names lead: to attributes of a kind, or to the parts of one attribute. */
type Resolve = (name: string) => AttributePath | undefined

class Reader {
  readonly #tokens: readonly Token[]
  #next = 0
  #terms = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#tokens.length
  }

  fail(expected: string): never {
    const token = this.#tokens[this.#next]
    throw new Malformed(`Expected ${expected} at ${token === undefined ? "the end" : `character ${token.at + 1}`}`)
  }

  takeMark(text: string): boolean {
    const token = this.#tokens[this.#next]
    if (token?.kind !== "mark" || token.text !== text) return false
    this.#next++
    return true
  }

  takeWord(...words: readonly string[]): string | undefined {
    const token = this.#tokens[this.#next]
    if (token?.kind !== "word") return undefined
    const word = token.text.toLowerCase()
    if (words.length > 0 && !words.includes(word)) return undefined
    this.#next++
    return words.length > 0 ? word : token.text
  }

  either(resolve: Resolve, depth: number): Filter {
    return this.#joined("or", depth, () => this.#both(resolve, depth))
  }

  #both(resolve: Resolve, depth: number): Filter {
    return this.#joined("and", depth, () => this.#single(resolve, depth))
  }

  #joined(kind: "and" | "or", depth: number, read: () => Filter): Filter {
    if (depth > scimLimits.filterDepth) throw new Malformed(`Expected a depth of at most ${scimLimits.filterDepth}`)
    const filters = [read()]
    while (this.takeWord(kind) !== undefined) filters.push(read())
    return filters.length === 1 && filters[0] !== undefined ? filters[0] : { kind, filters }
  }

  #single(resolve: Resolve, depth: number): Filter {
    if (this.takeWord("not") !== undefined) {
      if (!this.takeMark("(")) return this.fail("(")
      return { kind: "not", filter: this.#closed(resolve, depth, ")") }
    }
    if (this.takeMark("(")) return this.#closed(resolve, depth, ")")
    if (++this.#terms > scimLimits.filterTerms)
      throw new Malformed(`Expected at most ${scimLimits.filterTerms} comparisons`)
    const path = this.attribute(resolve)
    if (this.takeMark("[")) return { kind: "some", path, filter: this.selection(path, depth) }
    if (this.takeWord("pr") !== undefined) return { kind: "present", path }
    const comparison = this.takeWord(...comparisons)
    if (comparison === undefined) return this.fail("an operator")
    return this.#comparison(path, comparison as Comparison)
  }

  #closed(resolve: Resolve, depth: number, mark: ")" | "]"): Filter {
    const filter = this.either(resolve, depth + 1)
    if (!this.takeMark(mark)) return this.fail(mark)
    return filter
  }

  attribute(resolve: Resolve): AttributePath {
    const start = this.#next
    const name = this.takeWord()
    if (name === undefined) return this.fail("the name of an attribute")
    const path = resolve(name)
    if (path !== undefined) return path
    this.#next = start
    return this.fail("an attribute of the resource")
  }

  /** What is between brackets, up to the closing one. */
  selection({ extension, attribute, sub }: AttributePath, depth: number): Filter {
    if (!attribute.multiValued || attribute.type !== "complex" || sub !== undefined)
      throw new Malformed(`${attribute.name} has no values to select`)
    const parts: Resolve = (name) => {
      const part = subAttributeNamed(attribute, name)
      return part && { extension, attribute: part, sub: undefined }
    }
    return this.#closed(parts, depth, "]")
  }

  #comparison(path: AttributePath, comparison: Comparison): Filter {
    const { attribute, sub } = path
    // The value of an attribute with parts is the one of that name.
    const compared = sub ?? (attribute.type === "complex" ? subAttributeNamed(attribute, "value") : attribute)
    if (compared === undefined) return this.fail(`a part of ${attribute.name}`)
    const value = this.#literal()
    const isEqual = comparison === "eq" || comparison === "ne"
    if (value === null) {
      if (!isEqual) return this.fail("eq or ne with null")
      return { kind: "compare", comparison, path, compared, value }
    }
    if (compared.type === "boolean") {
      // Some directories send booleans as texts.
      const flag = typeof value === "boolean" ? value : /^(?:true|false)$/i.test(value) ? /^t/i.test(value) : undefined
      if (flag === undefined || !isEqual) throw new Malformed(`Expected ${compared.name} eq true or false`)
      return { kind: "compare", comparison, path, compared, value: flag }
    }
    if (typeof value === "boolean") throw new Malformed(`Expected a text to compare ${compared.name} with`)
    if (compared.type === "dateTime") {
      const millis = parseInstant(withPlus(value))
      if (millis === undefined || ["co", "sw", "ew"].includes(comparison))
        throw new Malformed(`Expected ${compared.name} compared with a time`)
      return { kind: "compare", comparison, path, compared, value: formatInstant(millis) }
    }
    return { kind: "compare", comparison, path, compared, value }
  }

  #literal(): string | boolean | null {
    const token = this.#tokens[this.#next]
    if (token === undefined || token.kind === "mark") return this.fail("a value")
    this.#next++
    if (token.kind === "string") {
      const value = parsedText(token.text)
      // No store keeps what PostgreSQL cannot.
      if (value !== undefined && !/[\0\p{Surrogate}]/u.test(value)) return value
      throw new Malformed(`Expected a JSON string at character ${token.at + 1}`)
    }
    const word = token.text.toLowerCase()
    if (word === "null") return null
    if (word === "true" || word === "false") return word === "true"
    this.#next--
    return this.fail("a text in quotes, true, false or null")
  }
}

const parsed = <T>(text: string, read: (reader: Reader) => T): Parsed<T> => {
  if (codePoints(text) > scimLimits.filterCharacters)
    return { ok: false, message: `Expected at most ${scimLimits.filterCharacters} characters` }
  try {
    const reader = new Reader(text)
    const value = read(reader)
    if (!reader.isAtEnd) reader.fail("the end")
    return { ok: true, value }
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, message: error.message }
    throw error
  }
}

/**
 * Reads filters and paths as RFC 7644 writes them, within bounds, and resolves their names.
 *
 * Rule: scim#filters. `not` binds closer than `and`, and `and` closer than `or`.
 */
export const parseFilter = (kind: ResourceKind, text: string): Parsed<Filter> =>
  parsed(text, (reader) => reader.either((name) => attributeAt(kind, name), 0))

/** `emails[type eq "work"].value`, or a path without a selection. */
export const parsePath = (kind: ResourceKind, text: string): Parsed<SelectedPath> =>
  parsed(text, (reader) => {
    const path = reader.attribute((name) => attributeAt(kind, name))
    if (!reader.takeMark("[")) return { ...path, filter: undefined }
    const filter = reader.selection(path, 0)
    if (!reader.takeMark(".")) return { ...path, filter }
    const name = reader.takeWord()
    const sub = name === undefined ? undefined : subAttributeNamed(path.attribute, name)
    return sub === undefined ? reader.fail(`a part of ${path.attribute.name}`) : { ...path, sub, filter }
  })

const parsedText = (text: string): string | undefined => {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}

/** Whether a resource satisfies a filter. Rule: scim#filters. Texts are compared without their case, unless the schema says otherwise. */
const assigned = (values: readonly unknown[]): readonly unknown[] =>
  values.filter((value) => value !== undefined && value !== null)

/** The values of an attribute, each by itself. */
const valuesAt = (resource: Values, { extension, attribute }: AttributePath): readonly unknown[] => {
  const holder = extension === undefined || !(extension in resource) ? resource : resource[extension]
  const value = isValues(holder) ? holder[attribute.name] : undefined
  return assigned(Array.isArray(value) ? value : [value])
}

/** What is compared: the values themselves, or the part of each that the path or the comparison names. */
const comparedAt = (resource: Values, path: AttributePath, compared: ScimAttribute): readonly unknown[] => {
  const values = valuesAt(resource, path)
  return path.attribute.type === "complex"
    ? assigned(values.map((value) => (isValues(value) ? value[compared.name] : undefined)))
    : values
}

const comparable = ({ type, caseExact }: ScimAttribute, value: unknown): string | number => {
  if (type === "dateTime") return Date.parse(String(value))
  return caseExact ? String(value) : String(value).toLowerCase()
}

const order = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b))

const tests: Readonly<
  Record<Exclude<Comparison, "ne">, (actual: string | number, wanted: string | number) => boolean>
> = {
  eq: (actual, wanted) => actual === wanted,
  co: (actual, wanted) => String(actual).includes(String(wanted)),
  sw: (actual, wanted) => String(actual).startsWith(String(wanted)),
  ew: (actual, wanted) => String(actual).endsWith(String(wanted)),
  gt: (actual, wanted) => order(actual, wanted) > 0,
  ge: (actual, wanted) => order(actual, wanted) >= 0,
  lt: (actual, wanted) => order(actual, wanted) < 0,
  le: (actual, wanted) => order(actual, wanted) <= 0
}

export const matchesFilter = (filter: Filter, resource: Values): boolean => {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((each) => matchesFilter(each, resource))
    case "or":
      return filter.filters.some((each) => matchesFilter(each, resource))
    case "not":
      return !matchesFilter(filter.filter, resource)
    case "present": {
      const { path } = filter
      return comparedOrWhole(resource, path).some((value) => value !== "")
    }
    case "some":
      return valuesAt(resource, filter.path).some((value) => isValues(value) && matchesFilter(filter.filter, value))
    case "compare": {
      const values = comparedAt(resource, filter.path, filter.compared)
      const { comparison, compared, value: wanted } = filter
      if (wanted === null) return (values.length === 0) === (comparison === "eq")
      if (compared.type === "boolean") return values.includes(wanted) === (comparison === "eq")
      const test = tests[comparison === "ne" ? "eq" : comparison]
      const target = comparable(compared, wanted)
      return values.some((value) => test(comparable(compared, value), target)) !== (comparison === "ne")
    }
  }
}

const comparedOrWhole = (resource: Values, path: AttributePath): readonly unknown[] =>
  path.sub === undefined ? valuesAt(resource, path) : comparedAt(resource, path, path.sub)
