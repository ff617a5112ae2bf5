import * as z from "zod"
import * as core from "zod/v4/core"

/** No one mends more than this at once, and a body can hold some hundred thousand. */
export const maxIssues = 100

/** Looked at together, so that neither many right items nor many wrong ones cost more than they have to. */
const step = 100

type Parse = (payload: core.ParsePayload, context: core.ParseContextInternal) => core.ParsePayload

const listed: core.$constructor<z.ZodArray> = z.ZodArray

/**
 * An array like zod's that is not read to its end once `maxIssues` are found. Zod itself finds every issue of an array that has no
 * `max`, which takes seconds for a body of 1 MiB.
 */
const ManyOf = core.$constructor<z.ZodArray>("GatewardenManyOf", (inst, def) => {
  listed.init(inst, def)
  // Nothing in the contract is asynchronous.
  const parse = inst._zod.parse as Parse
  const parseInSteps: Parse = (payload, context) => {
    const { value: sent, issues } = payload
    if (!Array.isArray(sent) || sent.length <= step) return parse(payload, context)
    const read: unknown[] = []
    for (let from = 0; from < sent.length && issues.length < maxIssues; from += step) {
      const part = parse({ value: sent.slice(from, from + step), issues: [] }, context)
      for (const issue of part.issues) {
        const [index, ...rest] = issue.path ?? []
        issues.push({ ...issue, path: [from + Number(index), ...rest] })
      }
      for (const item of part.value as readonly unknown[]) read.push(item)
    }
    payload.value = read
    return payload
  }
  inst._zod.parse = parseInSteps
})

/** As `z.array(item)`, for lists that have no `max`, or whose items hold much. */
export const manyOf = <T extends z.ZodType>(element: T): z.ZodArray<T> =>
  new ManyOf({ type: "array", element }) as unknown as z.ZodArray<T>
