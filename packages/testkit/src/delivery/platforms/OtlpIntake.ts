/** A platform's OTLP intake on loopback: it holds what it receives to the platform's rules and answers as the platform does. */
import type { Destination, DestinationType } from "@gatewarden/contract/internal"
import { Effect, type Scope } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { listenOnLoopback } from "@gatewarden/conformance/internal/upstream/listenOnLoopback"
import { readSpans, type ReceivedSpan } from "./readSpans.ts"

export type ConfigOf<Type extends DestinationType> = Extract<Destination, { type: Type }>["config"]

export interface IntakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface IntakeAnswer {
  readonly status: number
  readonly body?: string | Uint8Array
}

/** What a platform demands. Each check answers what the platform answers when it fails. */
export interface OtlpPlatformRules<Type extends DestinationType> {
  readonly type: Type
  readonly config: (origin: string) => ConfigOf<Type>
  readonly methods?: readonly string[]
  readonly path: string
  readonly contentTypes: readonly string[]
  readonly unauthorized: (headers: IncomingHttpHeaders) => IntakeAnswer | undefined
  readonly mostBytes: number
  /** A fault of a span by the platform's own rules. */
  readonly spanFault?: (span: ReceivedSpan) => string | undefined
  readonly isEmptyFault?: boolean
  readonly accepted: IntakeAnswer
}

export interface OtlpIntake<Type extends DestinationType> {
  readonly type: Type
  readonly config: ConfigOf<Type>
  /** Where a request for an address of the platform has to go. */
  readonly spans: readonly ReceivedSpan[]
  readonly requests: readonly IntakeRequest[]
  /** Faults, in the words of this intake; the platforms say less. */
  readonly faults: readonly string[]
  /** From now on every request is answered so; undefined: well again. */
  readonly answerWith: (answer: IntakeAnswer | undefined) => void
}

export const basic = (headers: IncomingHttpHeaders, user: string, password: string): boolean =>
  headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

export const startOtlpIntake = <Type extends DestinationType>(
  rules: OtlpPlatformRules<Type>
): Effect.Effect<OtlpIntake<Type>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const spans: ReceivedSpan[] = []
    const requests: IntakeRequest[] = []
    const faults: string[] = []
    let forced: IntakeAnswer | undefined

    const fault = (status: number, message: string): IntakeAnswer => {
      faults.push(message)
      return { status, body: JSON.stringify({ message }) }
    }

    const answer = (request: IntakeRequest): IntakeAnswer => {
      const { method, path, headers, body } = request
      requests.push(request)
      if (forced !== undefined) return forced
      if (path !== rules.path) return fault(404, `No intake at ${path}`)
      if (!(rules.methods ?? ["POST"]).includes(method)) return fault(405, `No ${method}`)
      const refused = rules.unauthorized(headers)
      if (refused !== undefined) return { ...fault(refused.status, "Credentials"), ...refused }
      const contentType = headers["content-type"] ?? ""
      if (!rules.contentTypes.includes(contentType)) return fault(415, `Not ${contentType}`)
      if (body.length > rules.mostBytes) return fault(413, `${body.length} bytes`)
      let read: readonly ReceivedSpan[]
      try {
        read = readSpans(contentType, body)
      } catch (problem) {
        return fault(400, String(problem))
      }
      if (read.length === 0 && rules.isEmptyFault === true) return fault(400, "No spans")
      for (const span of read) {
        const problem = rules.spanFault?.(span)
        if (problem !== undefined) return fault(400, problem)
      }
      spans.push(...read)
      return rules.accepted
    }

    const origin = yield* listenOnLoopback((request, response) => {
      const parts: Uint8Array[] = []
      request.on("data", (part: Uint8Array) => parts.push(part))
      request.on("end", () => {
        const { status, body } = answer({
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          body: new Uint8Array(Buffer.concat(parts))
        })
        response.writeHead(status, { "content-type": request.headers["content-type"] ?? "text/plain" }).end(body)
      })
    })

    return {
      type: rules.type,
      config: rules.config(origin),
      spans,
      requests,
      faults,
      answerWith: (next) => void (forced = next)
    }
  })
