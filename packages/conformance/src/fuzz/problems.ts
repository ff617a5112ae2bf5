/** What is wrong with an answer, whatever the request was; empty when nothing is. */
import {
  ErrorEnvelope,
  errorMessages,
  type ErrorStatus,
  globalStatuses,
  OAuthError,
  type OperationShape,
  ScimError,
  scimMediaType,
  scimPath
} from "@gatewarden/contract/internal"
import { canary } from "../arbitraries/spoiled.ts"
import { operationAt } from "./operationAt.ts"

/** Statuses whose text decisions give otherwise for some operation. */
const ownTexts: ReadonlySet<number> = new Set([403])

/** Words that only a database, a stack or a runtime says. */
const leaks =
  /\bat [\w.<>]+ \(|node_modules|\.ts:\d|SqlError|syntax error at|violates|duplicate key value|gatewarden_\w/

/** Every status that a request of this method to this target may be answered with. */
const statusesOf = (operation: ReturnType<typeof operationAt>): readonly number[] => {
  if (operation === undefined) return [404]
  if (operation === "path") return [405]
  const successes = [
    operation.success.status ?? 200,
    ...(operation.success.creates ? [201] : []),
    ...(operation.success.etag ? [304] : [])
  ]
  return [...successes, ...operation.errors, ...globalStatuses]
}

/** Whether the answer is the declared text in place of JSON, as a feed is. */
const isTextOf = ({ success: { textType } }: OperationShape, headers: Headers): boolean =>
  textType !== undefined && headers.get("content-type")?.startsWith(textType) === true

/** `target` lies below the base path. */
export const problems = async (method: string, target: string, response: Response): Promise<readonly string[]> => {
  const found: string[] = []
  const { status, headers } = response
  const text = await response.text()
  const requestId = headers.get("x-request-id")
  if (requestId === null) found.push("no X-Request-Id")
  // A provider may do wrong, of which 502 tells; nothing else goes wrong here.
  if (status >= 500 && status !== 502) found.push(`${status}`)
  // A page for people, which is none of the operations.
  if (target.split("?")[0] === "/auth")
    return leaks.test(text) || text.includes(canary) ? [...found, `tells too much: ${text}`] : found
  const operation = operationAt(method, target)
  if (!statusesOf(operation).includes(status)) found.push(`undeclared status ${status}`)
  if (status === 405 && !headers.get("allow")) found.push("405 without Allow")
  if (status === 429 && !headers.get("retry-after")) found.push("429 without Retry-After")
  if (method === "HEAD" || status === 304 || status === 204) {
    if (text !== "") found.push("a body where there must be none")
    return found
  }
  if (status < 300 && typeof operation === "object" && !operation.success.bytes && !isTextOf(operation, headers)) {
    const parsed = operation.success.schema.safeParse(textAsJson(text) ?? text)
    if (!parsed.success) found.push(`the answer breaks its schema: ${parsed.error.message}\n${text}`)
  }
  if (status < 400) return found
  const isScim = target.startsWith(`${scimPath}/`)
  const type = isScim ? scimMediaType : "application/json"
  if (headers.get("content-type") !== type) found.push(`an error as ${headers.get("content-type")}`)
  if (text.includes(canary)) found.push(`repeats what was sent: ${text}`)
  if (leaks.test(text)) found.push(`tells of the inside: ${text}`)
  if (typeof operation === "object" && operation.errorForm === "oauth")
    return OAuthError.safeParse(textAsJson(text)).success ? found : [...found, `not an error of OAuth: ${text}`]
  const envelope = ErrorEnvelope.safeParse(isScim ? asEnvelope(textAsJson(text)) : textAsJson(text))
  if (!envelope.success) return [...found, `not the envelope: ${text}`]
  const { error } = envelope.data
  if (error.code !== status) found.push(`code ${error.code} with status ${status}`)
  if (error.message !== errorMessages[status as ErrorStatus] && !ownTexts.has(status))
    found.push(`message ${error.message}`)
  if (error.metadata?.request_id !== requestId) found.push("another request id in the envelope")
  return found
}

/** An error of SCIM as one of the others; what its detail adds to the message is in the issues. */
const asEnvelope = (json: unknown): unknown => {
  const scim = ScimError.safeParse(json)
  if (!scim.success) return json
  const { status, detail, metadata } = scim.data
  const code = Number(status)
  const usual = errorMessages[code as ErrorStatus]
  return { error: { code, message: detail.startsWith(usual) ? usual : detail, metadata } }
}

const textAsJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
