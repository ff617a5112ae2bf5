import * as z from "zod"
import * as core from "zod/v4/core"

/** No one mends more than this at once, and a body can hold some hundred thousand. */
export const maxIssues = 100

/** Looked at together, so that neither many right items nor many wrong ones cost more than they have to. */
const step = 100

/** The same where others get their turn: how many are looked at without a look at the clock, and how long without a pause. */
const pausedStep = 10
const sliceMillis = 5

/** Whether an item has a list of its own that takes long. */
const holdsMany = (item: unknown): boolean =>
  typeof item === "object" &&
  item !== null &&
  Object.values(item).some((held) => Array.isArray(held) && held.length > 500)

/** How many items from one on are looked at without a pause: one that holds many pauses by itself, and alone. */
const pausedSize = (sent: readonly unknown[], from: number): number => {
  if (holdsMany(sent[from])) return 1
  let size = 1
  while (size < pausedStep && from + size < sent.length && !holdsMany(sent[from + size])) size++
  return size
}

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
  const steps = function* (
    payload: core.ParsePayload,
    sent: readonly unknown[],
    sizeAt: (sent: readonly unknown[], from: number) => number
  ): Generator<readonly unknown[], core.ParsePayload, core.ParsePayload> {
    const { issues } = payload
    const read: unknown[] = []
    for (let from = 0, size = 0; from < sent.length && issues.length < maxIssues; from += size) {
      size = sizeAt(sent, from)
      const part = yield sent.slice(from, from + size)
      for (const issue of part.issues) {
        const [index, ...rest] = issue.path ?? []
        issues.push({ ...issue, path: [from + Number(index), ...rest] })
      }
      for (const item of part.value as readonly unknown[]) read.push(item)
    }
    payload.value = read
    return payload
  }
  const parseAtOnce = (payload: core.ParsePayload, sent: readonly unknown[], context: core.ParseContextInternal) => {
    const reading = steps(payload, sent, () => step)
    let next = reading.next()
    while (next.done !== true) next = reading.next(parse({ value: next.value, issues: [] }, context))
    return next.value
  }
  /** Asked to be asynchronous, it gives way to others now and then. What it holds is read at once, unless that is much itself. */
  const parseInPauses = async (
    payload: core.ParsePayload,
    sent: readonly unknown[],
    context: core.ParseContextInternal
  ): Promise<core.ParsePayload> => {
    const atOnce = { ...context, async: false }
    const reading = steps(payload, sent, pausedSize)
    let pause = performance.now() + sliceMillis
    let next = reading.next()
    while (next.done !== true) {
      const part = { value: next.value, issues: [] }
      next = reading.next(await parse(part, next.value.some(holdsMany) ? context : atOnce))
      if (performance.now() < pause) continue
      await new Promise((resolve) => setTimeout(resolve, 0))
      pause = performance.now() + sliceMillis
    }
    return next.value
  }
  const parseInSteps = (
    payload: core.ParsePayload,
    context: core.ParseContextInternal
  ): core.ParsePayload | Promise<core.ParsePayload> => {
    const sent = payload.value
    if (!Array.isArray(sent)) return parse(payload, context)
    if (context.async === true) return parseInPauses(payload, sent, context)
    return sent.length <= step ? parse(payload, context) : parseAtOnce(payload, sent, context)
  }
  inst._zod.parse = parseInSteps
})

/** As `z.array(item)`, for lists that have no `max`, or whose items hold much. */
export const manyOf = <T extends z.ZodType>(element: T): z.ZodArray<T> =>
  new ManyOf({ type: "array", element }) as unknown as z.ZodArray<T>
