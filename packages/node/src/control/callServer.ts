/** The side of the command line: asks the server that holds the embedded store, if there is one. */
import { Effect } from "effect"
import { request as send } from "node:http"
import { text } from "node:stream/consumers"
import { Failed, failed } from "../failure/Failed.ts"
import { type Control, findControl } from "./controlFile.ts"
import { Answer } from "./serveCommands.ts"
import type { StoreCommandName } from "./storeCommands.ts"

/** Undefined when no server answers, so that the caller may open the store itself. */
export const callServer = (
  directory: string,
  command: StoreCommandName,
  input: unknown
): Effect.Effect<{ readonly value: unknown } | undefined, Failed> =>
  Effect.gen(function* () {
    const control = yield* Effect.promise(() => findControl(directory))
    if (control === undefined) return undefined
    const response = yield* Effect.tryPromise({
      try: (signal) => post(control, JSON.stringify({ command, input }), signal),
      catch: (cause) => cause
    }).pipe(
      Effect.catch((cause) =>
        isRefusal(cause)
          ? Effect.succeed(undefined)
          : Effect.fail(
              failed("busy", `The server with process id ${control.pid} did not answer; look before you repeat`)
            )
      )
    )
    // A server that died left its file behind, and its port may be another program's by now.
    if (response === undefined || response.status === 401) return undefined
    const answer = Answer.safeParse(parsed(response.body))
    if (!answer.success)
      return yield* failed(
        "failure",
        "The command cannot read the server's response; use the command of the server's version"
      )
    if (answer.data.ok) return { value: answer.data.value }
    return yield* new Failed({ exitCode: answer.data.exit_code, lines: answer.data.lines })
  })

interface Response {
  readonly status: number | undefined
  readonly body: string
}

/** Without `fetch`, which gives a server up that is silent for five minutes: a backup may take longer. */
const post = ({ url, token }: Control, body: string, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    send(url, { method: "POST", headers, agent: false, signal }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject)
    })
      .on("error", reject)
      .end(body)
  })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Nobody listens, so nothing was done. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED"
