/**
 * A text with decoded HTML entities, percent-encoding, string escapes, and tag characters, which are invisible and which models read.
 *
 * Only encodings of printable characters are decoded. Double encodings are decoded twice.
 */
import { type Reading, readingOf, Rewriting } from "./Reading.ts"

/** Names of HTML for ASCII characters. Source: HTML Living Standard, named character references. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    commat: "@",
    period: ".",
    comma: ",",
    colon: ":",
    semi: ";",
    sol: "/",
    bsol: "\\",
    num: "#",
    excl: "!",
    quest: "?",
    lpar: "(",
    rpar: ")",
    lbrack: "[",
    lsqb: "[",
    rbrack: "]",
    rsqb: "]",
    vert: "|",
    verbar: "|",
    lowbar: "_",
    plus: "+",
    hyphen: "-",
    dash: "-",
    ndash: "-",
    minus: "-",
    percnt: "%",
    equals: "=",
    ast: "*",
    Tab: "\t",
    NewLine: "\n",
    shy: "",
    zwnj: "",
    zwj: "",
    ZeroWidthSpace: "",
    ensp: " ",
    emsp: " ",
    thinsp: " "
  })
)

const encoded = new RegExp(
  [
    "&(?:#(?:[xX]0*([0-9A-Fa-f]{1,8})|0*([0-9]{1,8}));?|([A-Za-z]{2,15});)",
    "((?:%[0-9A-Fa-f]{2})+)",
    String.raw`\\u(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{4}))`,
    String.raw`\\x([0-9A-Fa-f]{2})`,
    // Tags, and selectors of variants
    String.raw`[\u{e0020}-\u{e007e}]`,
    String.raw`[\u{e0110}-\u{e016e}]`
  ].join("|"),
  "gu"
)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Longer runs of percent-encoded bytes are decoded piece by piece. */
const longestRun = 3_072

const fromPercent = (run: string): string | undefined => {
  const bytes = new Uint8Array(run.length / 3)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(run.slice(at * 3 + 1, at * 3 + 3), 16)
  try {
    return utf8.decode(bytes)
  } catch {
    return [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join("")
  }
}

const fromCode = (code: number): string | undefined =>
  (code >= 0x20 || code === 9 || code === 10 || code === 13) &&
  code <= 0x10_ff_ff &&
  !(code >= 0xd8_00 && code <= 0xdf_ff)
    ? String.fromCodePoint(code)
    : undefined

/** Tags repeat ASCII from U+E0000 on; selectors of variants stand for bytes, from U+E0100 on for those above fifteen. */
const fromHidden = (code: number): string =>
  String.fromCharCode(code < 0xe_01_00 ? code - 0xe_00_00 : code - 0xe_01_00 + 16)

/** Stretches that are decoded in one step. */
const stepDecoded = 2_000
const windowSize = 65_536
/** Nothing that is decoded at once is wider, and runs that are. */
const widest = 16

function* decodedOnce(text: string): Generator<undefined, Reading | undefined> {
  const rewriting = new Rewriting(text)
  let steps = 0
  let done = 0
  for (let from = 0; from < text.length; from += windowSize) {
    const until = from + windowSize
    const base = Math.max(done, from)
    const view = text.slice(base, until + longestRun + widest)
    encoded.lastIndex = 0
    for (let match = encoded.exec(view); match !== null; match = encoded.exec(view)) {
      const start = base + match.index
      if (start >= until) break
      const [written, hex, decimal, name, percent, braced, unicode, byte] = match
      const code = hex ?? braced ?? unicode ?? byte
      const decoded =
        percent !== undefined
          ? fromPercent(percent)
          : name !== undefined
            ? names.get(name)
            : code !== undefined
              ? fromCode(Number.parseInt(code, 16))
              : decimal !== undefined
                ? fromCode(Number(decimal))
                : fromHidden(written.codePointAt(0) ?? 0)
      if (decoded !== undefined) {
        rewriting.put(start, start + written.length, decoded)
        done = start + written.length
      }
      if (++steps % stepDecoded === 0) yield undefined
    }
    yield undefined
  }
  return rewriting.reading()
}

const mostTimes = 3

/** Undefined if nothing is encoded. A generator that can pause between any two steps. */
export function* decodedReading(text: string): Generator<undefined, Reading | undefined> {
  let reading: Reading | undefined
  for (let times = 0; times < mostTimes; times++) {
    const next = yield* decodedOnce(reading?.text ?? text)
    if (next === undefined) break
    reading = reading === undefined ? next : readingOf(reading, next)
  }
  return reading
}
