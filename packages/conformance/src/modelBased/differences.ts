/** Where two answers to the same request differ, in words; empty when they agree. */
import type { OperationId } from "@gatewarden/contract"
import type { Answer } from "../World.ts"

/** Fields that two installations need not agree on; `*`: of every item of a list. */
const free: Partial<Record<OperationId, readonly string[]>> = {
  // How long the query took.
  queryAnalytics: ["data.metadata.query_time_ms"],
  // Alerts of one instant are in the order of their ids, which the store makes.
  listAlerts: [
    "data.*.id",
    "data.*.type",
    "data.*.subject",
    ...["scope", "entity", "guardrail_id", "interval", "window_start", "limit_usd", "spent_usd", "held_usd"].map(
      (field) => `data.*.data.${field}`
    )
  ],
  // A hash is over the rows as the store has them, and what a deletion takes with it is recorded in an order of the store's own.
  getAuditLog: ["data.*.hash", "data.*.position", "next_cursor"]
}

/** Operations whose answers hold means, which two stores may sum up in another order. */
const averaging: ReadonlySet<OperationId> = new Set(["queryAnalytics"])
const tolerance = 1e-12

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

function* unequal(left: unknown, right: unknown, path: string, approximate: boolean): Generator<string> {
  if (Object.is(left, right)) return
  if (isObject(left) && isObject(right) && Array.isArray(left) === Array.isArray(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
      yield* unequal(
        Object.hasOwn(left, name) ? left[name] : undefined,
        Object.hasOwn(right, name) ? right[name] : undefined,
        path === "" ? name : `${path}.${name}`,
        approximate
      )
    return
  }
  if (approximate && typeof left === "number" && typeof right === "number")
    if (Math.abs(left - right) <= tolerance * Math.max(Math.abs(left), Math.abs(right))) return
  yield `${path}: ${show(left)} ≠ ${show(right)}`
}

export const differences = (operation: OperationId, left: Answer, right: Answer): readonly string[] => {
  if (left.status !== right.status)
    return [`status: ${left.status} ≠ ${right.status}`, `body: ${show(left.text)} ≠ ${show(right.text)}`]
  const allowed = free[operation] ?? []
  const bodies =
    left.json === undefined && right.json === undefined
      ? left.text === right.text
        ? []
        : [`body: ${show(left.text)} ≠ ${show(right.text)}`]
      : [...unequal(left.json, right.json, "", averaging.has(operation))]
  const headers = unequal(Object.fromEntries(left.headers), Object.fromEntries(right.headers), "header", false)
  return [...bodies, ...headers].filter(
    (line) => !allowed.some((path) => line.replace(/\.\d+(?=\.)/g, ".*").startsWith(`${path}:`))
  )
}
