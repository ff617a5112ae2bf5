/** Random text of letters and digits, uniformly distributed. */

export const base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** `random` returns that many unpredictable bytes, fresh at each call. */
export const base62 = (count: number, random: (size: number) => Uint8Array): string => {
  // 248 = 4 × 62: larger bytes are skipped, because they would make the first eight digits more likely.
  const unbiased = Math.floor(256 / base62Digits.length) * base62Digits.length
  let text = ""
  while (text.length < count)
    for (const byte of random(count))
      if (byte < unbiased && text.length < count) text += base62Digits[byte % base62Digits.length]
  return text
}
