/**
 * Whether an IP address belongs to the public internet. Outgoing requests reach no other address unless the operator allows it.
 *
 * Rule: operating#outgoing-calls. Source: IANA special-purpose address registries (RFC 6890). An IPv6 address that embeds an IPv4 address
 * is checked as that address.
 */

type Range = readonly [address: string, bits: number]

const specialV4: readonly Range[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Not special to IANA: every machine in Azure reaches its host at this address, which hands out certificates and configuration.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

/** Only global unicast is public, without these ranges. */
const globalV6: Range = ["2000::", 3]
const specialV6: readonly Range[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
]

/** Prefixes whose last 32 bits are an IPv4 address: mapped, and translated (RFC 6052). */
const embedding: readonly Range[] = [
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96]
]

/** `address` as a URL or a resolver writes it, without brackets. False for a text that is not an address. */
export const isPublicAddress = (address: string): boolean => {
  const v4 = parseV4(address)
  if (v4 !== undefined) return isPublicV4(v4)
  const v6 = parseV6(address)
  if (v6 === undefined) return false
  if (embedding.some((range) => isWithin(v6, range))) return isPublicV4(v6.slice(-2))
  return isWithin(v6, globalV6) && !specialV6.some((range) => isWithin(v6, range))
}

/** Addresses are compared as groups of 16 bits, with ranges of their own family. */
type Groups = readonly number[]

const isPublicV4 = (groups: Groups): boolean => !specialV4.some((range) => isWithin(groups, range))

const isWithin = (groups: Groups, [address, bits]: Range): boolean => {
  const prefix = parseV4(address) ?? parseV6(address) ?? []
  return groups.every((group, index) => {
    const open = Math.min(16, Math.max(0, (index + 1) * 16 - bits))
    return group >>> open === (prefix[index] ?? 0) >>> open
  })
}

const parseV4 = (text: string): Groups | undefined => {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const [a = 256, b = 256, c = 256, d = 256] = (match ?? []).slice(1).map(Number)
  return Math.max(a, b, c, d) > 255 ? undefined : [a * 256 + b, c * 256 + d]
}

const parseV6 = (text: string): Groups | undefined => {
  // A zone names an interface and is not part of the address.
  const [address = ""] = text.split("%")
  // Its last two groups may be written as an IPv4 address.
  const last = address.lastIndexOf(":") + 1
  const tail = parseV4(address.slice(last))?.map((group) => group.toString(16))
  const written = tail === undefined ? address : `${address.slice(0, last)}${tail.join(":")}`
  const halves = written.split("::")
  if (halves.length > 2) return undefined
  const [head = [], end = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - end.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...end]
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => parseInt(group, 16))
    : undefined
}
