/**
 * A text without its markup: tags of HTML, signs of Markdown, and line ends within numbers, which a model ignores.
 *
 * Markup around words, as in `**so**`, does not disturb finders; a text has this reading only if markup splits something.
 */
import { type Reading, readingOf, Rewriting } from "./Reading.ts"

/** Elements that run on within a line. Source: HTML Living Standard, text-level semantics; and those that were of old. */
const inline =
  "a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
const blocks =
  "article|aside|blockquote|br|center|dd|div|dl|dt|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tbody|thead|tr|ul"

/** Bounded, as all that follows: a tag longer than this is text. */
const inTag = String.raw`(?:[\s/][^<>]{0,300})?>`

const marked = new RegExp(
  [
    // A part of a text of SVG runs on where it has no place of its own.
    `(<!--[^>]{0,300}-->|</?(?:${inline})${inTag}|</?tspan\\s{0,9}>)`,
    `(</?(?:${blocks})${inTag})`,
    `(</?[a-z][\\w:-]{0,40}${inTag})`,
    String.raw`((?:\*{1,3}|~~|__|\`{1,3}|\\(?=[-._*@+~|])){1,4})`,
    String.raw`[ \t]?[[({][ \t]?(at|dot)[ \t]?[\])}][ \t]?`
  ].join("|"),
  "gi"
)

/** What the expression finds has one of these, each with what follows: looking for one character is many times faster. */
const signs: readonly (readonly [string, ...string[]])[] = [
  ["<"],
  ["*"],
  ["`"],
  ["\\"],
  ["~", "~~"],
  ["_", "__"],
  ["[", "at]", "dot]"],
  ["(", "at)", "dot)"],
  ["{", "at}", "dot}"]
]

const mayBeMarked = (text: string): boolean =>
  signs.some(
    ([sign, ...longer]) => text.includes(sign) && (longer.length === 0 || longer.some((one) => text.includes(one)))
  )

const solid = /[A-Za-z0-9@.+_-]/
const digit = /\d/

/** What is set or escaped stands at a word; a bullet, or an operator, between spaces. */
const isAtWord = (before: string, after: string): boolean => solid.test(before) || solid.test(after)

/** What an element that is not of a text leaves: a blank for words, and a break for numbers, which may stand in cells. */
const apart = "\v"

const spoken: Readonly<Record<string, string>> = { at: "@", dot: "." }

const numeric = /[\d ./()+-]/
/** So far a line is looked at for what a number in it belongs to. */
const reach = 48
/** A text that is hardly more than a number. */
const longestNumber = 40

/** The first character from there that belongs to no number; `""`: the line ends, or none is near. */
const besideNumber = (text: string, from: number, step: 1 | -1): string => {
  for (let at = from; at >= 0 && at < text.length && Math.abs(at - from) < reach; at += step) {
    const character = text.charAt(at)
    if (!numeric.test(character)) return character === "\n" || character === "\r" ? "" : character
  }
  return ""
}

/** A number that runs on in the next line stands in a sentence; numbers one below the other stand in a list, or in a table. */
const runsOn = (text: string, start: number, end: number): boolean =>
  (text.length <= longestNumber && !/[^\d\s./()+>-]/.test(text)) ||
  /[A-Za-z:=]/.test(besideNumber(text, start - 1, -1)) ||
  /[A-Za-z]/.test(besideNumber(text, end, 1))

interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
  /** Whether it alone is no reason to read the text again. */
  readonly isUsual?: boolean
}

/** Matches, and ends of lines, that are looked at in one step. */
const stepSize = 2_000

const lineEnd = /[ \t]?\r?\n(\r?\n)?([ \t>|]{0,8})/y

/** Ends of lines between two digits, or behind a sign between them: nothing, or a space where there is more than the end of a line. */
function* brokenNumbers(text: string): Generator<Replacement | undefined> {
  let steps = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (++steps % stepSize === 0) yield undefined
    let start = at
    while (start > 0 && at - start < 2 && /[ \t\r]/.test(text.charAt(start - 1))) start--
    const isSigned = /[./-]/.test(text.charAt(start - 1))
    if (!digit.test(text.charAt(start - (isSigned ? 2 : 1)))) continue
    lineEnd.lastIndex = start
    const match = lineEnd.exec(text)
    if (match === null) continue
    const end = start + match[0].length
    if (!digit.test(text.charAt(end)) || !runsOn(text, start, end)) continue
    yield { start, end, text: isSigned || (match[1] === undefined && match[2] === "") ? "" : " " }
  }
}

const windowSize = 65_536
const widest = 400

function* markup(text: string): Generator<Replacement | undefined> {
  let steps = 0
  let done = 0
  for (let from = 0; from < text.length; from += windowSize) {
    const until = from + windowSize
    const base = Math.max(done, from)
    const view = text.slice(base, until + widest)
    marked.lastIndex = 0
    for (let match = marked.exec(view); match !== null; match = marked.exec(view)) {
      const start = base + match.index
      if (start >= until) break
      const [written, inlined, block, element, sign, word] = match
      done = start + written.length
      const read =
        block !== undefined ? "\n" : element !== undefined ? apart : (spoken[word?.toLowerCase() ?? ""] ?? "")
      const isUsual =
        inlined === undefined && sign !== undefined && !isAtWord(text.charAt(start - 1), text.charAt(done))
      yield { start, end: done, text: read, isUsual }
      if (++steps % stepSize === 0) yield undefined
    }
    yield undefined
  }
}

/** Undefined where there is nothing but what is usual. */
function* withReplaced(
  text: string,
  found: Iterable<Replacement | undefined>
): Generator<undefined, Reading | undefined> {
  const rewriting = new Rewriting(text)
  let isCut = false
  for (const one of found) {
    if (one === undefined) yield undefined
    else {
      isCut ||= one.isUsual !== true
      rewriting.put(one.start, one.end, one.text)
    }
  }
  return isCut ? rewriting.reading() : undefined
}

export interface MarkedReadings {
  /** Without markup. */
  readonly unmarked: Reading | undefined
  /** Likewise, with numbers that run on in the next line in one. */
  readonly joined: Reading | undefined
}

/** Undefined where nothing is cut. May be left between any two steps. */
export function* markedReadings(text: string): Generator<undefined, MarkedReadings> {
  const unmarked = mayBeMarked(text) ? yield* withReplaced(text, markup(text)) : undefined
  const first = unmarked?.text ?? text
  const joined = first.includes("\n") ? yield* withReplaced(first, brokenNumbers(first)) : undefined
  return { unmarked, joined: unmarked === undefined || joined === undefined ? joined : readingOf(unmarked, joined) }
}
