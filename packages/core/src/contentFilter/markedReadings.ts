/**
 * A text without what sets it: tags of HTML, signs of Markdown, and the ends of lines within numbers. A model reads past them.
 *
 * What only stands around words, as in `**so**`, is left to the finders; a text has this reading where something is cut in two.
 */
import { type Reading, readingOf, Rewriting } from "./Reading.ts"

/** Elements that run on within a line. Source: HTML Living Standard, text-level semantics; and those that were of old. */
const inline =
  "a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
const cells = "td|th"
const blocks =
  "article|aside|blockquote|br|center|dd|div|dl|dt|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tbody|thead|tr|ul"

/** Bounded, as all that follows: a tag longer than this is text. */
const inTag = String.raw`(?:[\s/][^<>]{0,300})?>`

const marked = new RegExp(
  [
    `(<!--[^>]{0,300}-->|</?(?:${inline})${inTag})`,
    `(</?(?:${blocks})${inTag})`,
    `</?(?:${cells})${inTag}`,
    "((?:\\*{1,3}|~~|__|`{1,3}){1,4})"
  ].join("|"),
  "gi"
)

/** What the expression begins with. */
const beginnings = ["<", "*", "`", "~~", "__"] as const

const solid = /[A-Za-z0-9@.+_-]/
const digit = /\d/
const parting = /[ ./-]/

/** Signs that stand within a word, or at a group of digits. */
const cuts = (before: string, after: string): boolean =>
  (solid.test(before) && solid.test(after)) ||
  (digit.test(before) && parting.test(after)) ||
  (parting.test(before) && digit.test(after))

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
      const [written, inlined, block, sign] = match
      done = start + written.length
      yield {
        start,
        end: done,
        text: inlined !== undefined || sign !== undefined ? "" : block === undefined ? " | " : "\n",
        isUsual: sign !== undefined && !cuts(text.charAt(start - 1), text.charAt(done))
      }
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
  const unmarked = beginnings.some((one) => text.includes(one)) ? yield* withReplaced(text, markup(text)) : undefined
  const first = unmarked?.text ?? text
  const joined = first.includes("\n") ? yield* withReplaced(first, brokenNumbers(first)) : undefined
  return { unmarked, joined: unmarked === undefined || joined === undefined ? joined : readingOf(unmarked, joined) }
}
