/**
 * Finds values that nest deeper than any body may. Those of a body were read by `parseJson`; a host in process passes what it likes.
 *
 * Rule: requests#json-bodies.
 */
import { BadRequest } from "../value/failure.ts"
import { maxJsonDepth } from "../value/parseJson.ts"

/** Containers that are looked into in one step. */
const lookedAtOnce = 10_000

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

/** The first field that nests deeper; no recursion. Other requests may run between two steps. */
export function* tooDeepField(request: object): Generator<void, string | undefined> {
  let looked = 0
  for (const [field, sent] of Object.entries(request)) {
    let level: readonly unknown[] = [sent]
    // The request itself is the outermost object.
    for (let depth = 1; level.length > 0; depth++) {
      const inner: unknown[] = []
      for (const value of level) {
        if (!isContainer(value)) continue
        if (depth === maxJsonDepth) return field
        for (const member of Array.isArray(value) ? value : Object.values(value))
          if (isContainer(member)) inner.push(member)
        if (++looked % lookedAtOnce === 0) yield
      }
      level = inner
    }
  }
  return undefined
}

export const tooDeep = (field: string) =>
  new BadRequest({
    reason: "invalid_request",
    issues: [{ path: field, code: "too_deep", message: `More than ${maxJsonDepth} nested objects and arrays` }]
  })
