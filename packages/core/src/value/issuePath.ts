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
