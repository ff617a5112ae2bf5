/**
 * Requests of `node:http` straight to the core and its answers straight back: nearly all of them, since nearly none has a body
 * that is long or read while it arrives. The objects of `effect/http` in between cost more than the core's own work.
 */
import { type App, type AppAnswer, type AppRequest, type BodyProblem, jsonType } from "@gatewarden/core/effect"
import { Effect, Exit, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import { answerUnexpected } from "../http/refuseMalformed.ts"
import { Places } from "./Places.ts"

/** What may be left unread of a body without harm: Node discards it before the next request of the connection. */
const maxShortBytes = 65_536

const streamed = /^\s*(?:multipart\/|application\/x-ndjson)/i

/** Whether a request has a path for its target, and a body that may be read at once, if any. */
export const isShort = ({ httpVersionMajor, url, headers }: IncomingMessage): boolean =>
  httpVersionMajor === 1 &&
  url?.startsWith("/") === true &&
  headers["transfer-encoding"] === undefined &&
  !(Number(headers["content-length"] ?? 0) > maxShortBytes) &&
  !(headers["content-type"] !== undefined && streamed.test(headers["content-type"]))

const uninterruptible = { uninterruptible: true }

/** `interrupt`: what is still going on. */
export const answerDirectly = (app: App) => {
  const run = Effect.runForkWith(app.services)
  const running = new Places<Fiber.Fiber<AppAnswer>>()
  let arrived: (readonly [IncomingMessage, ServerResponse])[] = []
  const beginAll = (): void => {
    const begun = arrived
    arrived = []
    for (const [request, response] of begun) begin(request, response)
  }
  /** What arrives in one turn of the event loop begins together, so that its statements leave in one write to the database. */
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    if (arrived.push([request, response]) === 1) setImmediate(beginAll)
  }
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const fiber = run(app.answer(new DirectRequest(request)), uninterruptible)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return write(app, request, response, exit)
    const place = running.take(fiber)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
    fiber.addObserver((exit) => {
      running.leave(place)
      write(app, request, response, exit)
    })
  }
  return { listener, interrupt: Effect.suspend(() => Fiber.interruptAll(running.values())) }
}

class DirectRequest implements AppRequest {
  readonly method: string
  readonly url: string
  readonly headers: AppRequest["headers"]
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage) {
    this.method = request.method ?? "GET"
    this.url = request.url ?? "/"
    this.headers = headersOf(request)
    this.#request = request
  }

  readBytes(graceMillis: number) {
    return readBytes(this.#request, graceMillis)
  }

  whole() {
    return wholeOf(this.#request)
  }
}

/** Of what may be sent, Node makes a list of this header only. */
const headersOf = ({ headers }: IncomingMessage): AppRequest["headers"] => {
  const cookies = headers["set-cookie"]
  return (cookies === undefined ? headers : { ...headers, "set-cookie": cookies.join(", ") }) as AppRequest["headers"]
}

const nothing = Effect.succeed(new Uint8Array(0))

/** The length was announced, so it has been compared with what is allowed. */
const readBytes = (request: IncomingMessage, graceMillis: number): Effect.Effect<Uint8Array, BodyProblem> =>
  Number(request.headers["content-length"] ?? 0) === 0
    ? nothing
    : Effect.callback((resume) => {
        const chunks: Uint8Array[] = []
        const timer = setTimeout(() => end(Effect.fail("too_slow")), graceMillis)
        const end = (read: Effect.Effect<Uint8Array, BodyProblem>) => {
          clearTimeout(timer)
          resume(read)
        }
        const broken = () => end(Effect.fail("unreadable"))
        if (request.destroyed) return broken()
        request
          .on("data", (chunk: Uint8Array) => chunks.push(chunk))
          .once("end", () => end(Effect.succeed(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))))
          .once("error", broken)
          .once("close", broken)
      })

const wholeOf = (request: IncomingMessage): HttpServerRequest.HttpServerRequest => {
  const { method = "GET", headers, url = "/" } = request
  const sent = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value])
  )
  const hasBody = headers["content-length"] !== undefined && method !== "GET" && method !== "HEAD"
  return HttpServerRequest.fromWeb(
    new Request(`http://localhost${url}`, {
      method,
      headers: sent,
      ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" as const } : {})
    })
  )
}

const write = (app: App, request: IncomingMessage, response: ServerResponse, exit: Exit.Exit<AppAnswer>): void => {
  if (response.destroyed || response.writableEnded) return
  if (Exit.isFailure(exit)) return answerUnexpected(response, app.errorDocs(request.url ?? ""))
  const { status, headers, body } = exit.value
  if (body === undefined) {
    response.writeHead(status, headers).end()
    return
  }
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.reduce((sum, piece) => sum + piece.length, 0)
  response.writeHead(status, { "content-type": jsonType, ...headers, "content-length": length })
  // One chunk of text leaves together with the headers.
  if (request.method === "HEAD") response.end()
  else if (typeof body === "string") response.end(body)
  // As fast as it is taken: all at once it is written in one go. Whoever hangs up needs no rest.
  else pipeline(Readable.from(body), response, () => {})
}
