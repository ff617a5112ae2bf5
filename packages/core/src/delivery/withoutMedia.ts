/**
 * Prepares a body for delivery: images, audio and files are replaced by a marker, and what is too long is cut.
 *
 * Rule: observability#bodies. The work is bounded: nothing beyond the limit is copied.
 */

/** Characters of names and values that are kept of each body. */
export const maxBodyCharacters = 262_144

/** Deeper values are cut. A request has no deeper ones (Rule: requests#json-bodies), values of a host in process may. */
const maxDepth = 64

const cut = "[truncated]"

/** What is content rather than text: a whole data URL, one within a text, and long base64. */
const dataUrl = /^data:([a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60})?(?:;[a-z0-9=._-]{1,60}){0,4}[;,]/i
const embeddedDataUrl =
  /data:([a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60})(?:;[a-z0-9=._-]{1,60}){0,3};base64,[a-z0-9+/_=%-]*/gi
const longBase64 = /^[A-Za-z0-9+/_-]{512,}={0,2}$/

const marker = (type: string, length: number): string => `[removed: ${type}, ${length} characters]`

const shortened = (text: string, most: number): string => {
  const last = text.charCodeAt(most - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)}${cut}`
}

interface Budget {
  left: number
}

const textWithoutMedia = (text: string, budget: Budget): string => {
  const whole = dataUrl.exec(text)
  if (whole !== null) return marker(whole[1] ?? "data", text.length)
  const most = Math.max(0, budget.left)
  const kept = text.length > most ? text.slice(0, most) : text
  if (longBase64.test(kept)) return marker("base64", text.length)
  const copied = text.length > most ? shortened(text, most) : text
  return copied.includes("data:")
    ? copied.replace(embeddedDataUrl, (url, type: string) => marker(type, url.length))
    : copied
}

const copied = (value: unknown, budget: Budget, depth: number): unknown => {
  if (typeof value === "string") {
    const text = textWithoutMedia(value, budget)
    budget.left -= text.length
    return text
  }
  budget.left -= 2
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value
  if (depth >= maxDepth) return cut
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value as readonly unknown[]) {
      if (budget.left <= 0) {
        items.push(cut)
        break
      }
      items.push(copied(item, budget, depth + 1))
    }
    return items
  }
  const members: [string, unknown][] = []
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    if (budget.left <= 0) {
      members.push([cut, true])
      break
    }
    budget.left -= name.length
    members.push([name, copied((value as Readonly<Record<string, unknown>>)[name], budget, depth + 1)])
  }
  return Object.fromEntries(members)
}

/** A copy, at most a little longer than the limit; `undefined` stays. */
export const withoutMedia = (body: unknown, limit = maxBodyCharacters): unknown =>
  body === undefined ? undefined : copied(body, { left: limit }, 0)

/** Strings of a body, in their order, without the names of members, up to a number of characters: what filters search. */
export const textOfBody = (body: unknown, limit: number): string => {
  const texts: string[] = []
  let length = 0
  const gather = (value: unknown): void => {
    if (length >= limit) return
    if (typeof value === "string") {
      texts.push(value)
      length += value.length + 1
    } else if (typeof value === "object" && value !== null)
      for (const item of Array.isArray(value) ? value : Object.values(value)) gather(item)
  }
  gather(body)
  return texts.join("\n").slice(0, limit)
}

/** An object or an array without members takes this much, and each member this much beside its name and its value (measured on Node 20). */
const emptyWeight = 128
const memberWeight = 32

/** About how many characters of memory a body takes; stops at a limit. */
export const weighBody = (body: unknown, limit: number): number => {
  let weight = 0
  const weigh = (value: unknown): void => {
    if (weight >= limit) return
    if (typeof value === "string") weight += value.length + 1
    else if (typeof value === "object" && value !== null) {
      weight += emptyWeight
      if (!Array.isArray(value)) for (const name of Object.keys(value)) weight += name.length
      for (const item of Object.values(value)) {
        weight += memberWeight
        weigh(item)
      }
    } else weight += 8
  }
  weigh(body)
  return weight
}
