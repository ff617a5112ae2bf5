/** Mail to servers that answer without end: how long a connection lasts, and how much a server may send. Rule: alerts#mail. */
import { once } from "node:events"
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { TLSSocket, createServer as createTlsServer } from "node:tls"
import { MailTransport, layerInstance, layerMemory } from "@gatewarden/core/internal"
import { smtpTransport } from "@gatewarden/node"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { confirmed } from "@gatewarden/conformance/internal/alert/confirmed"
import { newTenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import { PublicUrl, askRecipients } from "../../core/src/alert/confirmRecipients.ts"
import { type AlertMessage } from "../../core/src/alert/describeAlert.ts"
import { sendAlert } from "../../core/src/alert/sendAlert.ts"
import { selfSigned } from "../node/outgoing/selfSigned.ts"

const certificate = selfSigned("localhost")
const servers = new Set<Server>()
const sockets = new Set<Socket>()

/** A server that greets and answers EHLO in its own way: its port. */
const listen = async (secure: boolean, ehlo: (socket: Socket) => void): Promise<number> => {
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket
      .on("error", () => undefined)
      .on("close", () => sockets.delete(socket))
      .once("data", () => ehlo(socket))
    socket.write("220 here\r\n")
  }
  const server = secure ? createTlsServer(certificate, serve) : createServer(serve)
  servers.add(server.listen(0, "127.0.0.1"))
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

const transport = (port: number, scheme = "smtp") =>
  smtpTransport({
    url: `${scheme}://127.0.0.1:${port}?tls.rejectUnauthorized=false`,
    from: "alerts@gw.example.com"
  })

/** Empty lines without end. */
const flood = (socket: Socket) => {
  const lines = "\r\n".repeat(8_192)
  const more = () => {
    while (!socket.destroyed && socket.write(lines));
  }
  socket.on("drain", more)
  more()
}

/** Offers STARTTLS, then floods within TLS. */
const floodBehindTls = (socket: Socket) => {
  socket.once("data", () => {
    socket.write("220 go\r\n")
    const tls = new TLSSocket(socket, { isServer: true, ...certificate })
    tls.on("error", () => undefined).once("data", () => flood(tls))
  })
  socket.write("250-here\r\n250 STARTTLS\r\n")
}

/** Part of an answer again and again, so that the connection is never silent. */
const drip = (socket: Socket) => {
  const dripping = setInterval(() => socket.write("250-x\r\n"), 20)
  socket.on("close", () => clearInterval(dripping))
}

describe("mail servers that answer without end", () => {
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
    servers.clear()
  })

  it.each([
    ["in plain text", "smtp", flood],
    ["over TLS", "smtps", flood],
    ["behind STARTTLS", "smtp", floodBehindTls]
  ] as const)("%s: the connection ends once there was too much", async (_, scheme, ehlo) => {
    const port = await listen(scheme === "smtps", ehlo)
    const sent = transport(port, scheme)({ to: ["a@b.example"], subject: "s", text: "t", messageId: "one.two" })
    const error = await sent.then(
      () => undefined,
      (cause: unknown) => cause
    )
    assert.match(String(error), /sent too much/)
    // Nobody works through what came before.
    const before = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    assert.isBelow(performance.now() - before, 1_000)
  })

  const to = ["a@b.example"]
  const alert: AlertMessage = {
    id: "one",
    type: "channel.test",
    workspace_id: "w",
    subject: "s",
    data: {},
    created_at: "2026-01-01T00:00:00.000Z"
  }
  const mails = {
    "an alert": (account_id: string) =>
      Effect.andThen(
        confirmed(account_id, to),
        Effect.asVoid(
          sendAlert(account_id, { id: "channel", type: "email" }, Redacted.make({ config: { to } }), [alert])
        )
      ),
    "a link": (account_id: string) => Effect.asVoid(askRecipients(account_id, to))
  }
  it.effect.each(Object.keys(mails) as (keyof typeof mails)[])(
    "that never ends: the connection of %s ends with the mail",
    (name) =>
      Effect.gen(function* () {
        const { account_id } = yield* newTenant
        const reached = yield* Deferred.make<Socket>()
        const port = yield* Effect.promise(() =>
          listen(false, (socket) => {
            drip(socket)
            Deferred.doneUnsafe(reached, Effect.succeed(socket))
          })
        )
        const sending = yield* Effect.forkScoped(
          mails[name](account_id).pipe(
            Effect.provideService(MailTransport, transport(port)),
            Effect.provideService(PublicUrl, "https://gw.example.com/api/v1")
          )
        )
        const socket = yield* Deferred.await(reached)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(sending)
        if (!socket.closed) yield* Effect.promise(() => once(socket, "close"))
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layerInstance(layerMemory, testKeyring))))
  )
})
