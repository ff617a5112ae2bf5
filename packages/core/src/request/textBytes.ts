/**
 * Bytes of a text, counted so that no tokenizer makes more tokens of it. Many read the NFKC form, in which a few characters have more bytes:
 * U+FDFA has 3, and 33 in it.
 *
 * Rule: money#upper-bound. Each character counts by itself: to normalize a whole text takes time by the square of its combining marks.
 */
const utf8 = new TextEncoder()

/** For shorter texts a loop is faster than the encoder. */
const shortText = 200

/** No character before it has more bytes in NFKC. */
const firstExpanding = 0xa8

/** Beyond U+FFFF, those that have more bytes lie between these two. */
const [firstPair, lastPair] = [0x1d15e, 0x1f248]

const extraOf = (character: string): number =>
  Math.max(0, utf8.encode(character.normalize("NFKC")).length - utf8.encode(character).length)

/** What is known of the characters up to U+FFFF: one more than their further bytes, 0 for those that were not met yet. */
const known = new Uint8Array(65_536)

const extraOfUnit = (unit: number): number => {
  if (known[unit] === 0) known[unit] = 1 + extraOf(String.fromCharCode(unit))
  return (known[unit] as number) - 1
}

const extraOfPair = (text: string, index: number): number => {
  const point = text.codePointAt(index) ?? 0
  return point >= firstPair && point <= lastPair ? extraOf(String.fromCodePoint(point)) : 0
}

/** Bytes of the text in UTF-8, or of its NFKC form, whichever has more: never less than either. */
export const textBytes = (text: string): number => {
  const isLong = text.length > shortText
  let bytes = isLong ? utf8.encode(text).length : text.length
  if (isLong && bytes === text.length) return bytes
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit <= 0x7f) continue
    const isSurrogate = unit >= 0xd800 && unit < 0xe000
    // A surrogate is one of two units for four bytes.
    if (!isLong) bytes += unit < 0x800 || isSurrogate ? 1 : 2
    if (unit < firstExpanding) continue
    if (!isSurrogate) bytes += extraOfUnit(unit)
    else if (unit < 0xdc00) bytes += extraOfPair(text, index)
  }
  return bytes
}
