/**
 * The paths of the gateway as a listener of `node:http`, and nothing between it and the gateway.
 *
 * Requests may be as long and as slow as the server lets them be: what is held of bodies is counted, and a trickle is given up.
 */
import { type ErrorEnvelope, errorMessages } from "@gatewarden/contract"
import type { BodyLimits, Gatewarden } from "@gatewarden/core"
import { defaultBodyLimits, maxShortBytes, type Pace, patienceMillis } from "@gatewarden/core/effect"
import {
  type BodyReceiver,
  bodyReceiver,
  type BodyRefusal,
  type BodySender,
  discardRest,
  type NodeHandler,
  type Served
} from "@gatewarden/node"
import { createHash, randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Answer, explained, type Listener } from "./Answer.ts"
import { type AnswerRooms, answerRooms, type Room } from "./AnswerRoom.ts"
import type { Gateway } from "./Gateway.ts"
import { nearestPath, notServed } from "./notServed.ts"
import { modelIn, oneModel } from "./oneModel.ts"
import { type RequestsInWork, requestsInWork } from "./requestsInWork.ts"

/** Keys come in a header that no browser adds by itself, so that any page may ask. */
const openToBrowsers: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "X-Request-Id, X-Generation-Id, Retry-After, RateLimit, RateLimit-Policy, ETag"
}

/** What a browser asks before it sends a key. */
const preflight = (request: IncomingMessage): Readonly<Record<string, string>> => ({
  ...openToBrowsers,
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  // Clients bring headers of their own, such as X-Stainless-Lang and HTTP-Referer.
  "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "Authorization, Content-Type",
  "access-control-max-age": "86400",
  vary: "Access-Control-Request-Headers"
})

/** Longer than what every connection may have, or of a length that is not told. */
const isLong = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] === undefined || Number(headers["content-length"]) > 65_536

/** Of whoever has no key. */
const unread = Buffer.alloc(0)

/** Answers of those who are not known count together. */
const nobody = async (): Promise<BodySender> => ({ key: "", account_id: "" })

/** Of the key, however it is sent. The key itself is not kept. */
const nameOf = (authorization: string): string =>
  createHash("sha256")
    .update(authorization.replace(/^\S+ +/, ""))
    .digest("base64")

const refusalOf = (
  refusal: ReturnType<Gateway["refusal"]>,
  { status, reason, issues = [], retryAfterSeconds }: BodyRefusal,
  request_id: string
): Answer =>
  refusal(
    status,
    errorMessages[status],
    { request_id, reason, issues },
    {
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
      // What is left of such a body is not waited for.
      ...(status === 408 || status === 413 ? { connection: "close" } : {})
    }
  )

/** `readMillis`: how long a client may take for what it has been sent, before it is cut off: its provider's stream waits as long. */
const readerOf = (response: ServerResponse, left: AbortSignal, readMillis: number): Listener => ({
  left,
  cut: () => void response.destroy(),
  send: (part) => {
    if (left.aborted || response.write(part)) return undefined
    return new Promise((resolve) => {
      const cut = setTimeout(() => response.destroy(), readMillis)
      const go = () => {
        clearTimeout(cut)
        response.off("drain", go).off("close", go)
        resolve()
      }
      response.on("drain", go).on("close", go)
    })
  }
})

/** Whole, and what is not taken at once has a time by its size. */
const writeWhole = ({ status, headers }: Answer, body: string, response: ServerResponse, pace: Pace): number => {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { "content-length": length, ...headers })
  // The text is not kept until a long one is read.
  response.end(length > maxShortBytes ? Buffer.from(body) : body)
  if (response.writableLength > 0) {
    const cut = setTimeout(() => response.destroy(), patienceMillis(pace, length))
    response.once("close", () => clearTimeout(cut))
  }
  return length
}

/** Resolves with how much of it is in memory until the response is closed. */
const write = async (
  answer: Answer,
  response: ServerResponse,
  left: AbortSignal,
  pace: Pace,
  readMillis: number
): Promise<number> => {
  const { status, headers, body } = answer
  if (typeof body === "string") return writeWhole(answer, body, response, pace)
  response.writeHead(status, { ...headers })
  await body(readerOf(response, left, readMillis))
  response.end()
  return 0
}

/** Clients of Anthropic send the key in a header of its own. */
const authorizationOf = ({ headers, headersDistinct }: IncomingMessage): string | undefined => {
  const [key, ...more] = headersDistinct["x-api-key"] ?? []
  if (headers.authorization !== undefined || key === undefined || more.length > 0) return headers.authorization
  return `Bearer ${key}`
}

/** Answers the paths of the gateway and what browsers ask before a request, and leaves the rest to the server. */
export const listenerOf = (
  {
    gatewarden,
    errorDocs,
    serves,
    bodies: limits = defaultBodyLimits
  }: Pick<Served, "errorDocs" | "serves"> & {
    readonly gatewarden: Pick<Gatewarden, "fetch" | "basePath">
    /** Of answers, too. */
    readonly bodies?: BodyLimits
  },
  gateway: Gateway,
  bodies: BodyReceiver = bodyReceiver(),
  readMillis = 30_000,
  rooms: AnswerRooms = answerRooms(limits),
  requests: RequestsInWork = requestsInWork(limits)
): NodeHandler => {
  const base = gatewarden.basePath === "/" ? "" : gatewarden.basePath
  const paths = new Map(gateway.paths.map((path) => [base + path, path]))

  /** Whose key it is, or what the management API says to a key that it does not let in. */
  const senderOf = async (path: string, authorization: string, request_id: string): Promise<BodySender | Answer> => {
    const headers = { authorization, "x-request-id": request_id }
    const asked = new Request(`http://localhost${base}/key`, { headers })
    const answered = await gatewarden.fetch(asked)
    if (answered.ok) {
      const { data } = (await answered.json()) as { readonly data: { readonly organization_id: string } }
      return { key: nameOf(authorization), account_id: data.organization_id }
    }
    const { error } = (await answered.json()) as ErrorEnvelope
    return gateway.refusal(path)(answered.status, error.message, { ...error.metadata })
  }

  const complete = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The server has given the request its id.
    const request_id = String(response.getHeader("x-request-id") ?? randomUUID())
    const gone = new AbortController()
    const closed = new Promise<void>((resolve) => response.once("close", resolve))
    response.once("close", () => {
      if (!response.writableFinished) gone.abort()
    })
    // The server cuts silent connections. How long an upstream may be silent is for its own setting.
    request.socket.setTimeout(0)
    discardRest(request, response)
    const docs = errorDocs(request.url ?? "")
    const answer = (value: Answer) => {
      const headers = { "x-request-id": request_id, ...value.headers }
      return write({ ...explained(value, docs), headers }, response, gone.signal, limits, readMillis)
    }
    const authorization = authorizationOf(request)
    const { headers } = request
    const ask = (body: Uint8Array, room: Room) =>
      gateway.complete({ path, headers, authorization, body, room, request_id, left: gone.signal })
    // Nothing is read of whoever has no key, and nothing long of whoever has none that is known.
    if (authorization === undefined) {
      await answer(await ask(unread, rooms.room(nobody)))
      return
    }
    const sender = isLong(request) ? await senderOf(path, authorization, request_id) : undefined
    if (sender !== undefined && "status" in sender) {
      await answer(sender)
      return
    }
    let found: Promise<BodySender> | undefined
    const known = (): Promise<BodySender> =>
      (found ??= (async () => {
        const reader = sender ?? (await senderOf(path, authorization, request_id))
        return "status" in reader ? nobody() : reader
      })())
    const room = rooms.room(known, nameOf(authorization))
    try {
      await bodies.receive(request, sender ?? known, async (received) => {
        // It left in the middle of what it said.
        if (received === undefined) return
        if ("refusal" in received) {
          await answer(refusalOf(gateway.refusal(path), received.refusal, request_id))
          return
        }
        const { body } = received
        const { refused, end } = await requests.begin(nameOf(authorization), known)
        try {
          const answered =
            refused === undefined ? await ask(body, room) : refusalOf(gateway.refusal(path), refused, request_id)
          room.keep(await answer(answered))
        } finally {
          end()
        }
      })
    } finally {
      void closed.then(() => room.keep(0))
    }
  }

  /** What is answered at once, without a body that is read. */
  const atOnce = async (
    request: IncomingMessage,
    response: ServerResponse,
    answered: (request_id: string) => Answer | Promise<Answer>
  ): Promise<void> => {
    discardRest(request, response)
    const request_id = String(response.getHeader("x-request-id") ?? randomUUID())
    const { headers, ...answer } = explained(await answered(request_id), errorDocs(request.url ?? ""))
    await write(
      { ...answer, headers: { "x-request-id": request_id, ...headers } },
      response,
      new AbortController().signal,
      limits,
      readMillis
    )
  }

  const nothingAt = (target: string, message: string) => (request_id: string) =>
    gateway.refusal(nearestPath(target, gateway.paths))(404, message, {
      request_id,
      reason: "unknown_path",
      paths: gateway.paths
    })

  const model = (request: IncomingMessage, name: string) => async (request_id: string) => {
    const authorization = authorizationOf(request)
    const [, key = ""] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? []
    const id = key === "" ? name : await gateway.idOf(key, name)
    return oneModel(gatewarden, id, request_id, authorization === undefined ? {} : { authorization })
  }

  return (request, response, next) => {
    const { method = "", url = "/" } = request
    if (method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      response.writeHead(204, preflight(request)).end()
      return
    }
    for (const name in openToBrowsers) response.setHeader(name, openToBrowsers[name] ?? "")
    const lost = () => void response.destroy()
    const [target = ""] = url.split("?", 1)
    const path = method === "POST" ? paths.get(target) : undefined
    if (path !== undefined) return void complete(path, request, response).catch(lost)
    const below = target.startsWith(`${base}/`) ? target.slice(base.length) : ""
    const name = method === "GET" ? modelIn(below) : undefined
    if (name !== undefined) return void atOnce(request, response, model(request, name)).catch(lost)
    const message = serves(url) ? undefined : notServed(base, method, target, gateway.paths)
    if (message === undefined) next?.()
    else void atOnce(request, response, nothingAt(target, message)).catch(lost)
  }
}
