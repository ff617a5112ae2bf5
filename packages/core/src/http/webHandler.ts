/**
 * The adapter from fetch to the core: requests straight to it and its answers straight back. `effect/http` would be another hundred modules
 * that a host waits for when it starts.
 *
 * Source: docs/decisions/0006-starting.md. The counterpart for `node:http` is in the node package.
 */
import { Context, Effect, Exit, Stream } from "effect"
import { GatheredBytes, pieceBytes } from "../value/bytes.ts"
import { type App, withHostSpan } from "./App.ts"
import { type AppAnswer, type AppRequest, type BodyProblem, firstByteMillis, jsonType } from "./AppRequest.ts"
import { maxShortBytes } from "./BodyLimits.ts"
import { envelope } from "./envelope.ts"

const uninterruptible = { uninterruptible: true }

/** A handler of an app: answers every request, never rejects. `host`: the span that the request belongs to, if any. */
export const webHandler =
  ({ answer, services, errorDocs }: Pick<App, "answer" | "services" | "errorDocs">) =>
  (request: Request, host: Context.Context<never> = Context.empty()): Promise<Response> =>
    new Promise((resolve) => {
      const asked = webRequest(request)
      const fiber = Effect.runForkWith(withHostSpan(services, host))(answer(asked), uninterruptible)
      const end = (exit: Exit.Exit<AppAnswer>): void =>
        resolve(webResponse(Exit.isSuccess(exit) ? exit.value : unexpected(errorDocs(asked.url)), request))
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return end(exit)
      const { signal } = request
      const onAbort = (): void => fiber.interruptUnsafe()
      signal.addEventListener("abort", onAbort, { once: true })
      fiber.addObserver((exit) => {
        signal.removeEventListener("abort", onAbort)
        end(exit)
      })
      if (signal.aborted) onAbort()
    })

/** The last resort: something failed where nothing is meant to. */
const unexpected = (docs: string): AppAnswer => {
  const requestId = crypto.randomUUID()
  const body = JSON.stringify(envelope({ status: 500, reason: "unexpected_failure" }, requestId, docs))
  return { status: 500, headers: { "x-request-id": requestId }, body }
}

const webRequest = (request: Request): AppRequest => {
  const headers: AppRequest["headers"] = Object.fromEntries(request.headers)
  return {
    method: request.method.toUpperCase(),
    url: targetOf(request.url),
    headers,
    readBytes: (pace) =>
      Effect.suspend(() => {
        let hasBegun = false
        const read = readAnnounced(request, Number(headers["content-length"]), () => (hasBegun = true))
        const silent = Effect.flatMap(Effect.sleep(firstByteMillis(pace)), () =>
          hasBegun ? Effect.never : Effect.fail("too_slow" as const)
        )
        return Effect.timeoutOrElse(Effect.interruptible(Effect.raceFirst(read, silent)), {
          duration: pace.graceMillis,
          orElse: () => Effect.fail("too_slow" as const)
        })
      }),
    stream: () => streamOf(request.body),
    whole: () => Effect.succeed(request)
  }
}

/** Path and query of a URL. */
const targetOf = (url: string): string => {
  const at = url.indexOf("/", url.indexOf("//") + 2)
  return at === -1 ? "/" : url.slice(at)
}

const streamOf = (body: ReadableStream<Uint8Array> | null): Stream.Stream<Uint8Array, BodyProblem> =>
  body === null
    ? Stream.empty
    : Stream.fromReadableStream({ evaluate: () => body, onError: () => "unreadable" as const })

const nothing = Effect.succeed(new Uint8Array(0))

/** A host may have made the request, so the body may be longer than announced: then it is unreadable. */
const readAnnounced = (
  { body }: Request,
  length: number,
  onBytes: () => void
): Effect.Effect<Uint8Array, BodyProblem> =>
  body === null
    ? nothing
    : Effect.tryPromise({
        try: async (signal) => {
          const reader = body.getReader()
          // Not awaited, because what the host does then may never end.
          const cancel = (): void => void reader.cancel().catch(() => {})
          signal.addEventListener("abort", cancel, { once: true })
          const gathered = new GatheredBytes()
          try {
            for (;;) {
              const { done, value } = await reader.read()
              if (done) return gathered.take()
              onBytes()
              gathered.add(value)
              // What has no length is no bytes.
              if (!(gathered.size <= length)) {
                cancel()
                throw new Error("The body is not what was announced")
              }
            }
          } finally {
            signal.removeEventListener("abort", cancel)
            reader.releaseLock()
          }
        },
        catch: () => "unreadable" as const
      })

const encoder = new TextEncoder()

const webResponse = (answer: AppAnswer, { method }: Request): Response => {
  const { status, headers, body, release } = answer
  if (method === "HEAD") release?.()
  if (body === undefined) return new Response(null, { status, headers })
  if (body instanceof ReadableStream) {
    if (method === "HEAD") void body.cancel().catch(() => {})
    return new Response(method === "HEAD" ? null : body, { status, headers: { ...headers } })
  }
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const length = bytes instanceof Uint8Array ? bytes.length : bytes.reduce((sum, piece) => sum + piece.length, 0)
  const pieces = bytes instanceof Uint8Array ? pieceBytes(bytes, maxShortBytes) : bytes
  const content = release === undefined && bytes instanceof Uint8Array ? bytes : asTaken(pieces, release)
  return new Response(method === "HEAD" ? null : content, {
    status,
    headers: { "content-type": jsonType, ...headers, "content-length": String(length) }
  })
}

/** One piece after the other, as the reader takes them. `release`: called when none is left, or none is wanted. */
const asTaken = (pieces: readonly Uint8Array[], release: () => void = () => {}): ReadableStream<Uint8Array> => {
  const rest = pieces.values()
  return new ReadableStream({
    pull: (controller) => {
      const { done, value } = rest.next()
      if (done !== true) return controller.enqueue(value)
      release()
      controller.close()
    },
    cancel: release
  })
}
