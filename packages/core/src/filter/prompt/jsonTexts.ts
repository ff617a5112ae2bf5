/**
 * Where a JSON text says something: its strings, and numbers long enough to identify somebody. Keys are strings too.
 *
 * Reads like `JSON.parse`, but can be left between any two tokens, and is not bounded in depth.
 */

/** A stretch of the JSON text: a literal with its quotes, or a number. */
export interface JsonText {
  readonly start: number
  readonly end: number
  readonly isString: boolean
}

/** Shorter numbers identify nobody. */
const shortestNumber = 7

/** Tokens that are looked at in one step. */
const stepTokens = 1_000
/** Characters of blanks that are looked at in one step. */
const stepBlanks = 50_000

const blank = new RegExp(`[ \\t\\n\\r]{1,${stepBlanks}}`, "y")
const word = /true|false|null/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escape = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y

const endOf = (expression: RegExp, json: string, from: number): number | undefined => {
  expression.lastIndex = from
  return expression.test(json) ? expression.lastIndex : undefined
}

/** Where the literal ends whose quote stands at `start`; undefined when it is none. */
const literalEnd = (json: string, start: number): number | undefined => {
  for (let at = start + 1; at < json.length;) {
    const code = json.charCodeAt(at)
    if (code === 34) return at + 1
    if (code < 32) return undefined
    if (code !== 92) at++
    else {
      const end = endOf(escape, json, at)
      if (end === undefined) return undefined
      at = end
    }
  }
  return undefined
}

/** What may come next. */
type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing"

/** Undefined when the text is no JSON. One more than `most` when there are more. */
export function* jsonTexts(json: string, most = Infinity): Generator<void, readonly JsonText[] | undefined> {
  const texts: JsonText[] = []
  /** The closing brackets of what is open. */
  const open: string[] = []
  let expected = "value" as Expected
  const afterValue = (): Expected => (open.length === 0 ? "nothing" : "commaOrEnd")
  let at = 0
  for (let step = 1; ; step++) {
    for (let end = endOf(blank, json, at); end !== undefined; end = endOf(blank, json, at)) {
      if (end - at === stepBlanks) yield
      at = end
    }
    if (step % stepTokens === 0) yield
    if (texts.length > most) return texts
    if (at >= json.length) return expected === "nothing" ? texts : undefined
    const character = json.charAt(at)
    if (
      character === open.at(-1) &&
      (expected === "commaOrEnd" || expected === "valueOrEnd" || expected === "keyOrEnd")
    ) {
      open.pop()
      expected = afterValue()
      at++
    } else if (expected === "commaOrEnd") {
      if (character !== ",") return undefined
      expected = open.at(-1) === "}" ? "key" : "value"
      at++
    } else if (expected === "colon") {
      if (character !== ":") return undefined
      expected = "value"
      at++
    } else if (character === '"' && expected !== "nothing") {
      const end = literalEnd(json, at)
      if (end === undefined) return undefined
      texts.push({ start: at, end, isString: true })
      expected = expected === "key" || expected === "keyOrEnd" ? "colon" : afterValue()
      at = end
    } else if (expected !== "value" && expected !== "valueOrEnd") return undefined
    else if (character === "{") {
      open.push("}")
      expected = "keyOrEnd"
      at++
    } else if (character === "[") {
      open.push("]")
      expected = "valueOrEnd"
      at++
    } else {
      const end: number | undefined = endOf(word, json, at) ?? endOf(number, json, at)
      if (end === undefined) return undefined
      if (end - at >= shortestNumber) texts.push({ start: at, end, isString: false })
      expected = afterValue()
      at = end
    }
  }
}
