/**
 * What a generated API key looks like, and what can be said of a presented one without a look-up.
 *
 * Rule: access#key-format. A key is a prefix, 43 base62 characters of randomness (256 bits) and 6 base62 characters of checksum.
 * The checksum is the CRC-32 of zlib and PNG (reflected polynomial 0xEDB88320, start and final xor 0xFFFFFFFF) over the ASCII
 * bytes of everything before it, prefix included, written as six base62 digits, most significant first, padded with `0`.
 * Base62 digits are `0-9`, `A-Z`, `a-z`, in this order. A typing error or a truncated copy is thus refused at no cost, and
 * secret scanners can tell a real key from a look-alike.
 */
import { base62, base62Digits } from "../value/base62.ts"
import { maskSecret } from "../vault/maskSecret.ts"

export type KeyKind = "management" | "gateway" | "normal"

const prefixes: Readonly<Record<KeyKind, string>> = { management: "gwm-v1-", gateway: "gwg-v1-", normal: "gw-v1-" }

const randomLength = 43
const checksumLength = 6

const body = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Makes a key. `random` returns that many unpredictable bytes, fresh at each call. */
export const generateKey = (kind: KeyKind, random: (size: number) => Uint8Array): string => {
  const payload = prefixes[kind] + base62(randomLength, random)
  return payload + checksum(payload)
}

/**
 * `foreign`: not of our making (a bootstrap key, a key from elsewhere), only a look-up can tell. `bad_checksum`: starts like one
 * of ours, but is damaged or made up; refused without a look-up. `well_formed`: may exist.
 */
export const checkKeyFormat = (key: string): "well_formed" | "bad_checksum" | "foreign" => {
  const prefix = prefixOf(key)
  if (prefix === undefined) return "foreign"
  if (!body.test(key.slice(prefix.length))) return "bad_checksum"
  return checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength) ? "well_formed" : "bad_checksum"
}

/** How a key is shown after its creation: prefix, 3 characters, `...`, 3 characters; a key not of our making is masked. */
export const keyLabel = (key: string): string => {
  const prefix = prefixOf(key)
  if (prefix === undefined || checkKeyFormat(key) !== "well_formed") return maskSecret(key)
  return `${key.slice(0, prefix.length + 3)}...${key.slice(-3)}`
}

/** What the keys of our making start with. */
export const keyPrefixes: readonly string[] = Object.values(prefixes)

const prefixOf = (key: string): string | undefined => keyPrefixes.find((prefix) => key.startsWith(prefix))

const checksum = (payload: string): string => {
  let rest = crc32(payload)
  let text = ""
  for (let place = 0; place < checksumLength; place++) {
    text = (base62Digits[rest % base62Digits.length] ?? "") + text
    rest = Math.floor(rest / base62Digits.length)
  }
  return text
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

const crc32 = (ascii: string): number => {
  let value = 0xffffffff
  for (let index = 0; index < ascii.length; index++)
    value = (value >>> 8) ^ (crcTable[(value ^ ascii.charCodeAt(index)) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}
