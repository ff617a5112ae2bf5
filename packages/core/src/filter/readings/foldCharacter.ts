/**
 * Normalisation of characters: composed (Unicode NFKC), without invisible ones, and folded to the ASCII characters that they look like.
 *
 * Rule: content-filters#normalised-text. Source: UAX #15; UTS #39, of whose confusables those of one character that look like one of ASCII are
 * here, but for strokes of ideographs and kana.
 */
import { evictOldest } from "../../value/remembered.ts"

/** ASCII letters and signs, each with what looks like it and is not made so by compatibility decomposition. */
const confusables: Readonly<Record<string, string>> = {
  a: "аɑαᴀӕ⍺",
  b: "ЬьƄɓƀʙᖯᏏᑲ",
  c: "сϲᴄⲥƈꮯ𐐽",
  d: "ԁɖɗđᴅᏧᑯꓒ",
  e: "еєҽεɛǝəᴇ℮ꬲ",
  f: "ƒꞙϝꜰꬵẝք",
  g: "ɡɢɠցᶃԍƍ",
  h: "һհʜħɦⱨᏂ",
  i: "іıɩɪιɨᎥꙇӀӏ⍳ꭵ𑣃",
  j: "јϳᴊɉʝ",
  k: "кκᴋƙ",
  l: "ʟłɫƚ׀⏽￨𐌠𞣇Ɩוןا𞸀𞺀ﺎﺍߊⵏᛁ𖼨𐊊𐌉",
  m: "мᴍɱ",
  n: "пոռɴηɲŋ",
  o: "оοօσᴏⲟøɵ๐໐ᴑꬽჿסه𞸤𞹤𞺄ﻫﻬﻪﻩھﮬﮭﮫﮪہﮨﮩﮧﮦەഠဝ𐓪𑣈𑣗𐐬",
  p: "рρᴘƥⲣ⍴",
  q: "ԛզգʠ",
  r: "гʀɾɼᴦꭇꭈⲅꮁ",
  s: "ѕꜱʂƽꮪ𑣁𐑈",
  t: "тτᴛŧƭʈ",
  u: "υսᴜʋцʉꞟꭎꭒ𐓶𑣘",
  v: "ѵνᴠⱱ∨⋁ט𑜆ꮩ𑣀",
  w: "ԝωᴡɯѡա𑜊𑜎𑜏ꮃ",
  x: "хχᕁ×᙮⤫⤬⨯ᕽ",
  y: "уүγʏƴɣᶌỿꭚყ𑣜",
  z: "ᴢƶʐȥꮓ𑣄",
  A: "АΑᎪꓮᗅ𖽀𐊠",
  B: "ВΒᏴꓐꞴᗷ𐊂𐊡𐌁",
  C: "СϹᏟꓚⲤ🝌𑣲𐊢𐌂𐐕𐔜",
  D: "ᎠꓓĐᗞᗪ",
  E: "ЕΕᎬꓰ⋿ⴹ𑢦𑢮𐊆",
  F: "Ϝꓝ𝈓Ꞙᖴ𑣂𑢢𐊇𐊥𐔥",
  G: "ԌᏀꓖᏳ",
  H: "НΗᎻꓧⲎᕼ𐋏",
  I: "ІΙꓲⲒ",
  J: "ЈᎫꓙꞲͿᒍ",
  K: "КΚᏦꓗⲔᛕ𐔘",
  L: "ᏞꓡŁ𝈪Ⳑᒪ𖼖𑢣𑢲𐐛𐔦",
  M: "МΜᎷꓟϺⲘᗰᛖ𐊰𐌑",
  N: "ΝꓠⲚ𐔓",
  O: "ОΟՕꓳØⲞⵔዐଠ𐓂𑢵𐊒𐊫𐐄𐔖",
  P: "РΡᏢꓑⲢᑭ𐊕",
  Q: "Ԛⵕ",
  R: "ᎡᏒꓣ𝈖Ʀ𐒴ᖇ𖼵",
  S: "ЅᏚՏꓢᏕ𖼺𐊖𐐠",
  T: "ТΤᎢꓔ⊤⟙🝨Ⲧ𖼊𑢼𐊗𐊱𐌕",
  U: "Սꓴ∪⋃ሀ𐓎ᑌ𖽂𑢸",
  V: "ᏙѴꓦ𝈍ⴸᐯꛟ𖼈𑢠𐔝",
  W: "ᎳᏔԜꓪ𑣯",
  X: "ХΧꓫ᙭╳𐌢𑣬ꞳⲬⵝᚷ𐊐𐊴𐌗𐔧",
  Y: "УΥҮᎽꓬⲨᎩ𖽃𑢤𐊲",
  Z: "ΖᏃꓜ𐋵𑢩",
  "'": "‘’‚‛ʼʻ′´՚՝‵׳ʹʹˈˊˋ˴ʽʾꞌיߴߵᑊᛌ",
  '"': "“”„‟″",
  "-": "−⁃➖ー˗۔Ⲻ",
  ".": "。·•∙⋅‧・⸱܁܂꘎𐩐ꓸ",
  "/": "⁄∕⧸᜵⁁╱⟋𝈺Ⳇ",
  "\\": "∖⧵⟍⧹𝈏𝈻",
  ":": "ː꞉∶˸։܃܄᛬᠃᠉⁚׃ꓽ",
  "@": "＠",
  "<": "‹〈❮ᐸ˂𝈶ᚲ",
  ">": "›〉❯ᐳ˃𝈷𖼿",
  "[": "【〔❲",
  "]": "】〕❳",
  "|": "ǀ∣❘￨",
  "#": "♯",
  "*": "∗⁎٭𐌟",
  "!": "ǃⵑ",
  " ": "\u1680\u2800",
  _: "ߺ",
  ",": "؍٫ꓹ",
  "?": "ʔɁॽᎮꛫ",
  "(": "❨﴾",
  ")": "❩﴿",
  "{": "❴𝄔",
  "}": "❵",
  "&": "ꝸ",
  "^": "˄ˆ",
  "+": "᛭➕𐊛",
  "=": "꓿",
  "~": "⁓∼",
  "2": "ꝚƧϨꙄᒿꛯ",
  "3": "𝈆ꞫȜƷꝪⳌЗӠ𖼻𑣊",
  "4": "Ꮞ𑢯",
  "5": "Ƽ𑢻",
  "6": "ⳒᏮ𑣕",
  "7": "𝈒𐓒𑣆",
  "8": "𞣋ȣȢ𐌚",
  "9": "ꝮⳊ𑣌𑢬𑣖"
}

const lookalikes = new Map<string, string>(
  Object.entries(confusables).flatMap(([character, like]) => [...like].map((one) => [one, character] as const))
)

/** Letters that signs are made of, by where they begin: in brackets, in circles and squares that are filled, of flags, and in outline. */
const letterSigns = [0x24_9c, 0x1_f1_10, 0x1_f1_50, 0x1_f1_70, 0x1_f1_e6, 0x1_cc_d6]
/**
 * The digit one of rows without a zero: in brackets, with a stop or a comma, in two circles, in circles that are filled or of another face,
 * and of scripts that count so.
 */
const digitSigns = [
  0x24_74, 0x24_88, 0x1_f1_02, 0x24_f5, 0x27_76, 0x27_80, 0x27_8a, 0x13_69, 0x17_f1, 0x1_02_e1, 0x30_21, 0x1_10_52,
  0x1_d3_60, 0x1_cc_f1
]
const zeroSigns: ReadonlySet<number> = new Set([
  0x17_f0, 0x24_ff, 0x30_07, 0x1_f1_00, 0x1_f1_01, 0x1_f1_0b, 0x1_f1_0c, 0x1_cc_f0
])
const firstSign = Math.min(...letterSigns, ...digitSigns, ...zeroSigns)

const isDigit = /\p{Nd}/u

/** Digits of a script are ten in a row, of which the first is zero. Two rows may follow each other. */
const digitOf = (code: number): string => {
  let zero = code
  while (isDigit.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

const foldedSign = (code: number): string | undefined => {
  if (code < firstSign) return undefined
  for (const first of letterSigns) if (code >= first && code < first + 26) return String.fromCharCode(97 + code - first)
  for (const first of digitSigns) if (code >= first && code < first + 9) return String(1 + code - first)
  return zeroSigns.has(code) ? "0" : undefined
}

/** What NFKC would make something else of: a digit in brackets becomes `(1)`, and a lunate sigma, which looks like `c`, another sigma. */
const withoutSigns = (cluster: string): string => {
  let folded = ""
  for (const character of cluster)
    folded += foldedSign(character.codePointAt(0) ?? 0) ?? lookalikes.get(character) ?? character
  return folded
}

const marks = /[\p{Mn}\p{Me}]/gu
const dash = /\p{Pd}/u
const space = /\p{Zs}/u
const control = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/

const foldOne = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return control.test(character) ? "" : character
  return (
    lookalikes.get(character) ??
    (dash.test(character)
      ? "-"
      : space.test(character)
        ? " "
        : code === 0x2028 || code === 0x2029 || code === 0x85
          ? "\n"
          : control.test(character)
            ? ""
            : isDigit.test(character)
              ? digitOf(code)
              : character)
  )
}

const unseen = /\p{Default_Ignorable_Code_Point}/gu

export interface Folded {
  /** Composed, without what nobody sees. */
  readonly plain: string
  /** The same in ASCII where something looks like it, without marks. */
  readonly folded: string
}

const remembered = new Map<string, Folded>()
const mostRemembered = 20_000

const compute = (cluster: string): Folded => {
  const seen = cluster.replace(unseen, "")
  const plain = seen.normalize("NFKC").replace(unseen, "")
  const bare = withoutSigns(seen).normalize("NFKD").replace(unseen, "").replace(marks, "")
  let folded = ""
  for (const character of bare) folded += foldOne(character)
  return { plain, folded: folded === "" ? "" : folded.normalize("NFC") }
}

/** A character with its marks: what NFKC may compose. */
export const foldCluster = (cluster: string): Folded => {
  const known = remembered.get(cluster)
  if (known !== undefined) return known
  const folded = compute(cluster)
  if (cluster.length > 8) return folded
  evictOldest(remembered, mostRemembered)
  remembered.set(cluster, folded)
  return folded
}

/** Whether a code point starts a character, belongs to the one before it, or is invisible. */
export const kind = { alone: 1, mark: 2, unseen: 3 } as const
export type Kind = (typeof kind)[keyof typeof kind]

const isUnseen = /^\p{Default_Ignorable_Code_Point}$/u
/** The vowels and last consonants of Hangul compose, too. */
const isMark = /^[\p{M}\u1161-\u11ff]$/u

const computeKind = (character: string): Kind =>
  isUnseen.test(character) ? kind.unseen : isMark.test(character) ? kind.mark : kind.alone

/** Of code units, as far as they were met; 0: not yet. */
const kinds = new Uint8Array(0x1_00_00)

export const kindOf = (code: number): Kind => {
  if (code < 0x300) return code === 0xad ? kind.unseen : kind.alone
  if (code > 0xff_ff) return computeKind(String.fromCodePoint(code))
  return (kinds[code] ||= computeKind(String.fromCharCode(code))) as Kind
}
