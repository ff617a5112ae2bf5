/** The refusal of an entity that would be too large. Rule: requests#entity-sizes. */
import { type Oversized, maxEntityBytes } from "../ports/limits.ts"
import type { Issue } from "@gatewarden/contract/internal"
import { BadRequest } from "../value/failure.ts"

/** The longest of the fields that the request sent: what its author shortens first. */
const longestOf = (sent: object): string => {
  const sizes = Object.entries(sent).map(([name, value]) => [name, (JSON.stringify(value) ?? "").length] as const)
  return sizes.reduce((most, one) => (one[1] > most[1] ? one : most), ["", -1] as const)[0]
}

/** `noun`: of the entity, as its author calls it. `sent`: the fields of the request. */
export const entityTooLarge = (noun: string, { oversized: bytes }: Oversized, sent: object) => {
  const written = (count: number) => count.toLocaleString("en-US")
  const issue: Issue = {
    path: longestOf(sent),
    code: "too_big",
    message: `The ${noun} would take ${written(bytes)} bytes as JSON; the limit is ${written(maxEntityBytes)}. Shorten its lists and texts`
  }
  return new BadRequest({ reason: "invalid_request", issues: [issue] })
}
