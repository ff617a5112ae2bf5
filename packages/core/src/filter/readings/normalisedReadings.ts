/**
 * The readings of a text that finders scan in addition to the text as it is written.
 *
 * Rule: content-filters#normalised-text. Plain ASCII text has none; one pass detects that.
 */
import { decodedReading } from "./decodedReading.ts"
import { foldCluster, kind, kindOf } from "./foldCharacter.ts"
import { markedReadings } from "./markedReadings.ts"
import { asWritten, type Reading, readingOf, Rewriting } from "./Reading.ts"

export interface Readings {
  /** For custom patterns: the readings of builtins, and the composed text, if it differs. */
  readonly patterns: readonly Reading[]
  /** For detectors: the composed text, and the folded one if it differs. */
  readonly composed: Reading
  readonly folded: Reading | undefined
  /** For builtins: as written, folded, decoded, decoded without markup, and with numbers joined across line ends. */
  readonly builtins: readonly Reading[]
}

/** What is written as it is read: ASCII but for controls, kana, ideographs and syllables of Hangul. */
const remarkable = /[^\t-\r\x20-\x7e\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]/g
/** Likewise, and what may be the beginning of an encoding. */
const readOtherwise = /[^\t-\r\x20-$'-[\]-\x7e]/
/** Those of ASCII one by one: in a long text, looking for each is faster than an expression for all. */
const otherwise: readonly string[] = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .filter((one) => readOtherwise.test(one))
/** From here on a text is long. */
const longText = 4_096

/** Characters that are looked at in one step. */
const stepSize = 4_096
/** A step over plain text is many times faster. */
const plainStep = 262_144
/** A character with more marks than these code units is read in several pieces. */
const longestCluster = 32

const utf8 = new TextEncoder()
const bytes = new Uint8Array(plainStep)

/** Encoding is the fastest way to find out: each character of ASCII is one byte. At most `plainStep` characters. */
const isAscii = (text: string): boolean => {
  const { read, written } = utf8.encodeInto(text, bytes)
  return read === text.length && written === read
}

/** Whether any reading may differ from the text. A generator that can pause between any two steps. */
export function* mayReadOtherwise(text: string): Generator<undefined, boolean> {
  for (let at = 0; at < text.length; at += plainStep) {
    const view = text.length <= plainStep ? text : text.slice(at, at + plainStep)
    if (
      view.length < longText ? readOtherwise.test(view) : !isAscii(view) || otherwise.some((one) => view.includes(one))
    )
      return true
    if (at + plainStep < text.length) yield undefined
  }
  return false
}

interface Composed {
  readonly plain: Reading | undefined
  readonly folded: Reading | undefined
}

/** Where the character ends that starts here, with its marks. What nobody sees belongs to it only where a mark follows. */
const clusterEnd = (text: string, start: number): number => {
  const code = text.codePointAt(start) ?? 0
  let end = start + (code > 0xff_ff ? 2 : 1)
  if (kindOf(code) === kind.unseen) return end
  for (let ahead = end; ahead < text.length && ahead - start < longestCluster;) {
    const next = text.codePointAt(ahead) ?? 0
    const of = kindOf(next)
    if (of === kind.alone) break
    ahead += next > 0xff_ff ? 2 : 1
    if (of === kind.mark) end = ahead
  }
  return end
}

function* composedReadings(text: string): Generator<undefined, Composed> {
  const plain = new Rewriting(text)
  const folded = new Rewriting(text)
  let step = stepSize
  let done = 0
  for (let searched = 0; ;) {
    // A long stretch without anything remarkable is looked through in pieces, too.
    const until = Math.min(text.length, searched + plainStep)
    const view = searched === 0 && until === text.length ? text : text.slice(searched, until)
    const base = searched === 0 && until === text.length ? 0 : searched
    remarkable.lastIndex = searched - base
    const match = remarkable.exec(view)
    if (match === null) {
      if (until === text.length) break
      searched = until
      yield undefined
      continue
    }
    let start = base + match.index
    // A mark belongs to what stands before it, which is one code unit: other characters are remarkable themselves, or ideographs.
    if (start > done && kindOf(text.codePointAt(start) ?? 0) !== kind.alone) start--
    // What follows is mostly of the same script: it is not searched for one by one.
    for (;;) {
      const end = clusterEnd(text, start)
      const cluster = text.slice(start, end)
      const read = foldCluster(cluster)
      if (read.plain !== cluster) plain.put(start, end, read.plain)
      if (read.folded !== cluster) folded.put(start, end, read.folded)
      start = done = end
      if (end >= text.length || end >= step || text.charCodeAt(end) < 0x80) break
    }
    searched = done
    if (done >= step) {
      step = done + stepSize
      yield undefined
    }
  }
  return { plain: plain.reading(), folded: folded.reading() }
}

/** Whether letters that look like those of ASCII stand within words of ASCII. */
export const mixesScripts = (text: string): boolean =>
  /[A-Za-z][\u0370-\u058f\u13a0-\u13ff]|[\u0370-\u058f\u13a0-\u13ff][A-Za-z]/.test(text)

const distinct = (all: readonly (Reading | undefined)[]): readonly Reading[] => {
  const kept: Reading[] = []
  for (const one of all) if (one !== undefined && kept.every((known) => known.text !== one.text)) kept.push(one)
  return kept
}

/** Of one text, which may be left between any two steps. Each reading is there once. */
export function* normalisedReadings(text: string): Generator<undefined, Readings> {
  const written = asWritten(text)
  const { plain, folded, decoded, refolded } = (yield* mayReadOtherwise(text)) ? yield* otherReadings(text) : none
  const last = refolded ?? decoded ?? folded ?? written
  const { unmarked, joined } = yield* markedReadings(last.text)
  const others = [folded, decoded, refolded, unmarked && readingOf(last, unmarked), joined && readingOf(last, joined)]
  return {
    patterns: distinct([written, plain, ...others]),
    builtins: distinct([written, ...others]),
    composed: plain ?? written,
    folded
  }
}

interface OtherReadings extends Composed {
  readonly decoded: Reading | undefined
  /** What was decoded, folded. */
  readonly refolded: Reading | undefined
}

const none: OtherReadings = { plain: undefined, folded: undefined, decoded: undefined, refolded: undefined }

function* otherReadings(text: string): Generator<undefined, OtherReadings> {
  const { plain, folded } = yield* composedReadings(text)
  yield undefined
  const decoded = yield* decodedReading(text)
  if (decoded === undefined) return { ...none, plain, folded }
  yield undefined
  const again = (yield* composedReadings(decoded.text)).folded
  return { plain, folded, decoded, refolded: again && readingOf(decoded, again) }
}
