/**
 * The one adapter from `node:http` to the core: requests straight to it and its answers straight back. The objects of `effect/http` and of
 * fetch cost more than the core's own work.
 */
import {
  type App,
  type AppAnswer,
  type AppRequest,
  type BodyProblem,
  discardAnswer,
  firstByteMillis,
  GatheredBytes,
  type Pace
} from "@gatewarden/core/internal"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Exit, Fiber, Stream } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { discardRest } from "./discardRest.ts"
import { fetchRequest } from "./fetchRequest.ts"
import { joinPieces } from "./joinPieces.ts"
import { answerUnexpected } from "./refuseMalformed.ts"
import { Slots } from "./Slots.ts"
import { writeAnswer } from "./writeAnswer.ts"

/** What may be left unread of a body without harm: Node discards it before the next request of the connection. */
const maxShortBytes = 65_536

const streamed = /^\s*(?:multipart\/|application\/x-ndjson)/i

/** Whether a body, if any, may be left unread or is read at once. */
const isShort = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined &&
  !(Number(headers["content-length"] ?? 0) > maxShortBytes) &&
  !(headers["content-type"] !== undefined && streamed.test(headers["content-type"]))

const uninterruptible = { uninterruptible: true }

/** `pace`: how slowly clients may read. `answer` runs uninterruptibly, with the app's services. `interrupt`: the requests that are still in flight. */
export const answerNode = (
  { answer, services, errorDocs }: Pick<App, "answer" | "services" | "errorDocs">,
  pace: Pace
) => {
  const run = Effect.runForkWith(services)
  const running = new Slots<Fiber.Fiber<AppAnswer>>()
  let arrived: (readonly [IncomingMessage, ServerResponse])[] = []
  const beginAll = (): void => {
    const begun = arrived
    arrived = []
    for (const [request, response] of begun) begin(request, response)
  }
  /** What arrives in one turn of the event loop begins together, so that its statements leave in one write to the database. */
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    // A host's server has not.
    joinPieces(request)
    if (!isShort(request)) discardRest(request, response)
    if (arrived.push([request, response]) === 1) setImmediate(beginAll)
  }
  const write = (request: IncomingMessage, response: ServerResponse, exit: Exit.Exit<AppAnswer>): void => {
    if (response.destroyed || response.writableEnded) {
      if (Exit.isSuccess(exit)) discardAnswer(exit.value)
      return
    }
    if (Exit.isFailure(exit)) answerUnexpected(response, errorDocs(request.url ?? ""))
    else writeAnswer(request, response, exit.value, pace)
  }
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const fiber = run(answer(new NodeRequest(request)), uninterruptible)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return write(request, response, exit)
    const slot = running.take(fiber)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
    fiber.addObserver((exit) => {
      running.free(slot)
      write(request, response, exit)
    })
  }
  return { listener, interrupt: Effect.suspend(() => Fiber.interruptAll(running.values())) }
}

class NodeRequest implements AppRequest {
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

  readBytes(pace: Pace) {
    return readBytes(this.#request, pace)
  }

  stream() {
    return streamOf(this.#request)
  }

  whole() {
    return Effect.sync(() => fetchRequest(this.#request, { target: this.url }))
  }
}

/** Of what may be sent, Node makes a list of this header only. */
const headersOf = ({ headers }: IncomingMessage): AppRequest["headers"] => {
  const cookies = headers["set-cookie"]
  return (cookies === undefined ? headers : { ...headers, "set-cookie": cookies.join(", ") }) as AppRequest["headers"]
}

const streamOf = (request: IncomingMessage): Stream.Stream<Uint8Array, BodyProblem> =>
  isSent(request)
    ? NodeStream.fromReadable({ evaluate: () => request, onError: () => "unreadable" as const, closeOnDone: false })
    : Stream.empty

const isSent = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const nothing = Effect.succeed(new Uint8Array(0))

/** The length was announced, so it has been compared with what is allowed. */
const readBytes = (request: IncomingMessage, pace: Pace): Effect.Effect<Uint8Array, BodyProblem> =>
  Number(request.headers["content-length"] ?? 0) === 0
    ? nothing
    : Effect.callback((resume) => {
        const gathered = new GatheredBytes()
        const tooSlow = () => end(Effect.fail("too_slow"))
        let timer = setTimeout(tooSlow, firstByteMillis(pace))
        const took = performance.now()
        const end = (read: Effect.Effect<Uint8Array, BodyProblem>) => {
          clearTimeout(timer)
          resume(read)
        }
        const broken = () => end(Effect.fail("unreadable"))
        if (request.destroyed) return broken()
        request
          .on("data", (chunk: Uint8Array) => {
            const isFirst = gathered.size === 0
            gathered.add(chunk)
            if (!isFirst) return
            clearTimeout(timer)
            timer = setTimeout(tooSlow, pace.graceMillis - (performance.now() - took))
          })
          .once("end", () => end(Effect.succeed(gathered.take())))
          .once("error", broken)
          .once("close", broken)
      })
