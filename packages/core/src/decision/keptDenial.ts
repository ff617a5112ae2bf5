/**
 * What is stored of a denial for a repetition with the same `Idempotency-Key`.
 *
 * Rule: requests#idempotency-keys. A denial repeats names that the request sent, up to hundreds of kilobytes. A stored one is bounded, and
 * has no text of messages: it may have been for a request with zero data retention.
 */
import type { AdmissionReason, DeniedAdmission, DenialError, Issue } from "@gatewarden/contract/internal"

/** The most bytes of JSON that are stored of a denial. */
const mostBytes = 4_096

/** Of these, what the metadata of its error may take, together with its availability. */
const mostMetadataBytes = 1_024

/** Characters that are left of a text that is too long. A character takes at most 6 bytes of JSON. */
const mostCharacters = 160

const utf8 = new TextEncoder()
const bytesOf = (value: unknown): number => utf8.encode(JSON.stringify(value)).length

const cut = (text: string): string => {
  const characters = Array.from(text.slice(0, 2 * mostCharacters + 2))
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join("")}…` : text
}

/** Without `parts`: the types of message parts are texts that the client writes into messages. */
const withoutParts = ({ metadata: { parts: _, ...metadata }, ...error }: DenialError): DenialError => ({
  ...error,
  metadata
})

const shortened = ({ code, message, ...told }: DenialError): DenialError => {
  const { reason, doc_url } = told.metadata
  const short = bytesOf(told) <= mostMetadataBytes ? told : { metadata: { reason, doc_url } }
  return { code, message: cut(message), ...short }
}

type Pair = readonly [reason: AdmissionReason, issue: Issue]

/** Names the rule alone. */
const withoutValue = ([reason, issue]: Pair): Pair => [
  { ...reason, field: cut(reason.field), value: null },
  { ...issue, path: cut(issue.path), message: cut(issue.message) }
]

/**
 * The whole denial if it is short. Otherwise without findings, and with the reasons that fit, each with its issue. The first reason stays in
 * any case, without its value if that is too long: a denial has a reason.
 */
export const keptDenial = (denial: DeniedAdmission): DeniedAdmission => {
  const whole = { ...denial, error: withoutParts(denial.error) }
  if (bytesOf(whole) <= mostBytes) return whole
  const kept = { ...whole, error: shortened(whole.error), findings: [], reasons: [], issues: [] }
  const pairs: Pair[] = []
  let room = mostBytes - bytesOf(kept)
  for (const [index, reason] of whole.reasons.entries()) {
    const issue = whole.issues[index]
    if (issue === undefined) break
    const pair: Pair = [reason, issue]
    const fitting = index > 0 || bytesOf(pair) <= room ? pair : withoutValue(pair)
    const bytes = bytesOf(fitting)
    if (index > 0 && bytes > room) continue
    room -= bytes
    pairs.push(fitting)
  }
  return { ...kept, reasons: pairs.map(([reason]) => reason), issues: pairs.map(([, issue]) => issue) }
}
