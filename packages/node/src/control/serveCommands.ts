/** The side of the server: runs store commands for whoever holds the token, on a loopback listener of its own. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, type Context, Effect, Exit } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import * as z from "zod"
import { type Failed, failed } from "../failure/Failed.ts"
import type { CommandServices } from "../store/StoreCommand.ts"
import { orStoreFailure } from "../store/openStore.ts"
import { publishControl, withdrawControl } from "./controlFile.ts"
import { runStoreCommand, storeCommands } from "./storeCommands.ts"

const names = Object.keys(storeCommands) as [keyof typeof storeCommands]

const Call = z.object({ command: z.enum(names), input: z.unknown() })

/** What a call is answered with, by `serveCommands`, and read as, by `callServer`. */
export const Answer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({
    ok: z.literal(false),
    exit_code: z.union([z.literal(1), z.literal(2), z.literal(69), z.literal(75), z.literal(78)]),
    lines: z.array(z.string())
  })
])

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const answerOf = (exit: Exit.Exit<unknown, Failed>): z.input<typeof Answer> => {
  if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
  const reason =
    exit.cause.reasons.find(Cause.isFailReason)?.error ?? failed("failure", "The server could not run the command")
  return { ok: false, exit_code: reason.exitCode, lines: [...reason.lines] }
}

/** Listens until the scope closes, and tells of it in the data directory. */
export const serveCommands = Effect.fnUntraced(function* (
  directory: string,
  services: Context.Context<CommandServices>
) {
  const token = randomBytes(32).toString("hex")
  const expected = digest(`Bearer ${token}`)
  const app = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!timingSafeEqual(digest(request.headers["authorization"] ?? ""), expected))
      return HttpServerResponse.empty({ status: 401 })
    const call = Call.safeParse(yield* request.json)
    if (!call.success) return HttpServerResponse.empty({ status: 400 })
    const exit = yield* Effect.exit(
      Effect.uninterruptible(orStoreFailure(runStoreCommand(call.data.command, call.data.input)))
    )
    return HttpServerResponse.jsonUnsafe(answerOf(exit))
  }).pipe(Effect.provideContext(services))
  const handle = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope })
  const server = createServer(handle)
  const url = yield* Effect.acquireRelease(
    Effect.callback<string, Failed>((resume) => {
      server.once("error", (cause) =>
        resume(Effect.fail(failed("address", `Cannot listen for commands: ${cause.message}`)))
      )
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          Effect.succeed(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`)
        )
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => publishControl(directory, { pid: process.pid, url, token }),
      catch: () => failed("directory", `The data directory ${directory} cannot be written`)
    }),
    () => Effect.promise(() => withdrawControl(directory))
  )
})
