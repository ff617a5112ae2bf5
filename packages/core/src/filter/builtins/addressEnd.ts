/** The end of an IPv6 address that starts here: counts its groups, and allows an IPv4 address as the last ones (RFC 4291, 2.2). */

const group = /^[0-9a-f]{1,4}$/i
const dotted = /^(?:\d{1,3}\.){3}\d{1,3}$/

/** The number of 16-bit groups in a list; undefined if one is malformed. */
const groupsOf = (part: string): number | undefined => {
  if (part === "") return 0
  const groups = part.split(":")
  const last = groups.at(-1) ?? ""
  const isMixed = dotted.test(last)
  return (isMixed ? groups.slice(0, -1) : groups).every((one) => group.test(one))
    ? groups.length + (isMixed ? 1 : 0)
    : undefined
}

const isIpv6 = (candidate: string): boolean => {
  const parts = candidate.split("::")
  const counts = parts.map(groupsOf)
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 9), 0)
  // A qualified name may look like an abbreviated address; names seldom have digits.
  return parts.length === 1 ? total === 8 : parts.length === 2 && total > 0 && total < 8 && /\d/.test(candidate)
}

export const addressEnd = (text: string, start: number, end: number): number | undefined => {
  const candidate = text.slice(start, end).replace(/(?:\.+|(?<!:):)$/, "")
  return isIpv6(candidate) ? start + candidate.length : undefined
}
