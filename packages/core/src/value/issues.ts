import {
  type AdmissionReason,
  type Availability,
  type ErrorStatus,
  type PolicyEdit,
  type Reason,
  type ReasonOf,
  nearestOf
} from "@gatewarden/contract/internal"
import type * as z from "zod"

type Issue = z.core.$ZodIssue

/** By zod's names of types. */
const nouns: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null"
}

const nounOf = (type: string): string => nouns[type] ?? type

/** Zod's default message, if the schema has none. */
const isOfZod = (message: string): boolean => /^Invalid (?:input|option|discriminator)\b/.test(message)

export const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined,
    root
  )

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

const oneOf = (values: readonly unknown[]): string => {
  const printed = values.map((value) => JSON.stringify(value))
  return printed.length === 1 ? String(printed[0]) : `one of ${printed.join(", ")}`
}

/** `undefined` if only zod has a message for it. */
const expectedBy = (issue: Issue): string | undefined => {
  switch (issue.code) {
    case "invalid_type":
      return nounOf(issue.expected)
    case "invalid_value":
      return oneOf(issue.values)
    case "invalid_union": {
      if ("options" in issue && Array.isArray(issue.options)) return oneOf(issue.options)
      // Lists the alternatives if they differ in type; otherwise all of their rules would have to be listed.
      const alternatives = issue.errors.map(([first]) => (first?.path.length === 0 ? expectedBy(first) : undefined))
      const known = alternatives.flatMap((noun) => noun ?? [])
      return known.length === 0 || known.length < alternatives.length ? undefined : [...new Set(known)].join(" or ")
    }
    default:
      return undefined
  }
}

/** A list of choices up to which all are listed where some are near. */
const mostChoices = 10

/** Names the nearest of the choices, and of many only them. */
const withNearest = (message: string, choices: readonly unknown[], value: unknown): string => {
  if (typeof value !== "string") return message
  const nearest = nearestOf(
    value,
    choices.filter((choice) => typeof choice === "string")
  )
  if (nearest === "") return message
  return choices.length <= mostChoices ? message + nearest : `Expected one of ${choices.length} names${nearest}`
}

/**
 * Turns zod's errors into the messages of this API: what was expected, and whether the value is missing or different.
 *
 * Zod's own messages do not say that a member is missing (`expected string, received undefined`). A schema's own message stays. Values that
 * were sent are never repeated.
 *
 * `sent`: the whole value in which the issue was found. `meantBy`: the unknown field that was sent in place of a missing one.
 */
export const issueMessage = (
  issue: Issue,
  sent: unknown,
  meantBy: (path: readonly PropertyKey[]) => string | undefined
): string => {
  const isMissing = valueAt(sent, issue.path) === undefined
  const expected = isOfZod(issue.message) ? expectedBy(issue) : undefined
  const message = expected === undefined ? issue.message : `Expected ${expected}`
  if (isMissing) {
    if (!message.startsWith("Expected ")) return message
    const unknown = meantBy(issue.path)
    const hint =
      unknown === undefined ? "" : `. \`${unknown}\` is not a field here; send \`${String(issue.path.at(-1))}\``
    return `${message}; it is missing${hint}`
  }
  if (issue.code === "invalid_value" && expected !== undefined)
    return withNearest(message, issue.values, valueAt(sent, issue.path))
  if (issue.code !== "invalid_type" || expected === undefined) return message
  return `${message}, not ${nounOf(typeOf(valueAt(sent, issue.path)))}`
}

/**
 * The path of an issue, as a dotted string from the body's root.
 *
 * Rule: errors#issue-paths. A key of an object may be a misplaced credential, so it is repeated only if it looks like a name: words of
 * letters with at most two digits at either end, joined by `_` or `-`.
 */
const nameLike = /^[_-]{0,2}\d{0,2}[A-Za-z]{1,20}\d{0,2}(?:[_-]{1,2}\d{0,2}[A-Za-z]{1,20}\d{0,2}){0,6}[_-]{0,2}$/

/** `content_filters.1.pattern`; `*` stands for a key that is not shown. */
export const issuePath = (steps: readonly PropertyKey[]): string =>
  steps.map((step) => (typeof step === "number" || nameLike.test(String(step)) ? String(step) : "*")).join(".")

/** What an edit of a list takes out of it and adds to it. */
export interface ListChange {
  readonly removed: ReadonlySet<unknown>
  readonly added: ReadonlySet<string>
}

/** An edit that removes a reason. That of a list is written out once it is chosen: very many edits may change one long list. */
export type Edit = Omit<PolicyEdit, "to"> & (Pick<PolicyEdit, "to"> | (ListChange & { readonly to?: undefined }))

const nothing: ReadonlySet<never> = new Set()

export const removing = (entries: Iterable<unknown>): ListChange => ({ removed: new Set(entries), added: nothing })

export const adding = (name: string): ListChange => ({ removed: nothing, added: new Set([name]) })

/**
 * An objection to a request or a candidate, as rules, filters, budgets and rate limits report it to the decision.
 *
 * A reason, and the edit that would remove it; `null` if no edit does.
 */
export interface Objection {
  readonly reason: AdmissionReason
  readonly edit: Edit | null
}

/** The answer to a request that may not be made, without the `doc_url` of its reason. Rule: admissions#denials. */
export interface Refusal {
  readonly status: ErrorStatus
  readonly reason: Reason
  readonly message: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** If no endpoint is left. Rule: admissions#availability. */
  readonly availability?: Omit<Availability, "docs_url">
}

/** With a reason of the status; no other compiles. */
export const refusalWith = <S extends ErrorStatus>(
  status: S,
  reason: ReasonOf<S>,
  message: string,
  metadata?: Refusal["metadata"]
): Refusal => ({ status, reason, message, ...(metadata === undefined ? {} : { metadata }) })
