import { ErrorEnvelope, type Issue, OAuthError, type Reason, reasons } from "@gatewarden/contract/internal"

/** Seconds in a `Retry-After` header, which may be a number of them or a date. */
const secondsOf = (header: string | null): number | undefined => {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The page that an error of OAuth leads to has the name of the reason. */
const reasonOf = (error: OAuthError | undefined): Reason | undefined => {
  const name = error?.error_uri.slice(error.error_uri.lastIndexOf("/") + 1) ?? ""
  return Object.hasOwn(reasons, name) ? (name as Reason) : undefined
}

/** A response that is no success. A request that got no response rejects with what `fetch` rejected with. */
export class GatewardenError extends Error {
  override readonly name = "GatewardenError"
  /** The operation that was called. */
  readonly operation: string
  /** The HTTP status. */
  readonly status: number
  /** Which rule was broken; `undefined` when something between client and server answered. */
  readonly reason: Reason | undefined
  /** Where the reason is explained; `undefined` where there is no reason. In process, `fetch` of the instance answers it. */
  readonly docUrl: string | undefined
  /** Each broken rule with the field that broke it. */
  readonly issues: readonly Issue[]
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined
  /** Seconds after which the caller may try again, where the server named them. */
  readonly retryAfter: number | undefined

  constructor(operation: string, url: string, { status, headers }: Response, text: string) {
    const body = parsed(text)
    const envelope = ErrorEnvelope.safeParse(body).data
    const oauth = OAuthError.safeParse(body).data
    const metadata = envelope?.error.metadata
    const docUrl = metadata?.doc_url ?? oauth?.error_uri
    const issues = metadata?.issues ?? []
    const message = envelope?.error.message ?? oauth?.error_description ?? `HTTP ${status} without an error of this API`
    const details = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    super(`${operation}: ${status} ${message}${details.length === 0 ? "" : ` (${details.join("; ")})`}`)
    this.operation = operation
    this.status = status
    this.reason = metadata?.reason ?? reasonOf(oauth)
    this.docUrl = docUrl === undefined ? undefined : new URL(docUrl, url).href
    this.issues = issues
    this.requestId = metadata?.request_id ?? headers.get("x-request-id") ?? undefined
    this.retryAfter = secondsOf(headers.get("retry-after"))
  }

  /** Reads the body of a response that is no success; `url` is that of its request. */
  static async of(operation: string, url: string, response: Response): Promise<GatewardenError> {
    return new GatewardenError(operation, url, response, await response.text())
  }
}
