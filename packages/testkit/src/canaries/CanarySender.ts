/** Sends secrets, each of which is told apart wherever it turns up, and keeps every answer. */
import { assert } from "@effect/vitest"
import { connect } from "node:net"

export interface Submission {
  readonly request: string
  readonly status: number
  /** Headers and body. */
  readonly answer: string
  /** Secrets that this answer is there to show, this once and when it is repeated. */
  readonly shows: readonly string[]
}

export interface CanaryTarget {
  /** `http://HOST:PORT<base path>`. */
  readonly url: string
  readonly managementKey: string
  readonly canaries: readonly string[]
  /** Whether calls of upstream providers fail without leaving the machine, so that they can be made. */
  readonly providersFail?: boolean
}

/** How a request is to end: with a status, or in a way. */
export type Expected = "accepted" | "refused" | "any" | number

export interface Sent {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Text or form data is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly shows?: readonly string[]
}

export interface Answered {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the suites of the operations check shapes; here only secrets count
  readonly json: any
}

export interface CanarySender extends Pick<CanaryTarget, "url" | "managementKey"> {
  /** A secret that nothing else is sent with. */
  readonly take: () => string
  /** One of those that are left, all of them in turn. */
  readonly any: () => string
  /** Fails where the request does not end as expected. */
  readonly send: (method: string, path: string, expected: Expected, sent?: Sent) => Promise<Answered>
  /** Sends bytes as they are and takes whatever comes back; `cut` says at once that no more will come. */
  readonly sendRaw: (text: string, cut?: boolean) => Promise<void>
  readonly submissions: readonly Submission[]
  /** Keys and codes that were made on the way. */
  readonly issued: ReadonlySet<string>
  /** Fails while there are secrets that were sent nowhere. */
  readonly requireAllSent: () => void
}

/** An id of nothing. */
export const nobody = "00000000-0000-4000-8000-000000000000"

const isExpected = (expected: Expected, status: number): boolean => {
  if (expected === "any") return status < 500
  if (expected === "accepted") return status < 300
  if (expected === "refused") return status >= 400 && status < 500
  return status === expected
}

export const makeCanarySender = ({ url, managementKey, canaries }: CanaryTarget): CanarySender => {
  const submissions: Submission[] = []
  const issued = new Set<string>()
  let taken = 0
  let cycled = 0

  const take = (): string => {
    const canary = canaries[taken++]
    assert.isDefined(canary, "more canaries are needed")
    return canary ?? ""
  }
  const any = (): string => canaries[taken + (cycled++ % (canaries.length - taken))] ?? ""

  const send: CanarySender["send"] = async (method, path, expected, sent = {}) => {
    const { key = managementKey, body } = sent
    const headers = new Headers(sent.headers)
    if (key !== null && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`)
    const raw = typeof body === "string" || body instanceof FormData
    if (body !== undefined && !(body instanceof FormData) && !headers.has("content-type"))
      headers.set("content-type", "application/json")
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== ""
    const json = isJson ? JSON.parse(text) : undefined
    // Of a key that the request brought, the label is shown in its place.
    const keyShown = json?.key === json?.data?.label ? undefined : json?.key
    const shown = [keyShown, path.split("?", 1)[0] === "/auth/keys/code" ? json?.data?.id : undefined].filter(
      (secret): secret is string => typeof secret === "string"
    )
    for (const secret of shown) if (!canaries.includes(secret)) issued.add(secret)
    submissions.push({
      request: `${method} ${path} ${typeof body === "string" ? body : JSON.stringify(body)} ${JSON.stringify(sent.headers ?? {})}`,
      status: response.status,
      answer: `${[...response.headers].map((pair) => pair.join(": ")).join("\n")}\n\n${text}`,
      shows: [...shown.filter((secret) => issued.has(secret)), ...(sent.shows ?? [])]
    })
    assert.isTrue(
      isExpected(expected, response.status),
      `${method} ${path}: ${response.status} is not ${expected}: ${text}`
    )
    return { status: response.status, json }
  }

  const sendRaw = (text: string, cut = false) =>
    new Promise<void>((resolve) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      let received = ""
      socket.setEncoding("latin1").on("data", (part: string) => (received += part))
      socket.on("error", () => {})
      socket.once("close", () => {
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
        submissions.push({ request: text, status, answer: received, shows: [] })
        resolve()
      })
      if (cut) socket.end(text)
      else socket.write(text)
    })

  const requireAllSent = () => assert.isAtLeast(cycled, canaries.length - taken, "canaries were left over")
  return { url, managementKey, take, any, send, sendRaw, submissions, issued, requireAllSent }
}
