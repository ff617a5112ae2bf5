/** Processes of this machine that spend the same money at the same time. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

export interface SpenderOrders {
  readonly mode: "guarded" | "naive"
  readonly url: string
  readonly provider: string
  readonly managementKey: string
  readonly api_key_hash: string
  readonly model: string
  readonly calls: number
  /** How long the provider takes for each. */
  readonly millis: number
  /** How often a refused call is asked again. */
  readonly retries: number
  /** So many calls are made first; once they hold money and the others begin, it makes the rest, and kills itself with SIGKILL. */
  readonly doomed?: number
}

export interface Tally {
  readonly settled: number
  readonly cancelled: number
  readonly refused: number
}

export type FromSpender =
  | { readonly kind: "ready" }
  /** The calls that were made first hold money. */
  | { readonly kind: "holding" }
  | ({ readonly kind: "done" } & Tally)

export interface Spender {
  /** Resolves with what became of the calls, `undefined` when it was killed before it could say. */
  readonly spend: (orders: SpenderOrders) => Promise<Tally | undefined>
  /** Resolves when one that is doomed waits for the others. */
  readonly holding: Promise<void>
  /** The others begin. */
  readonly go: () => void
  readonly stop: () => void
}

export const startSpender = async (): Promise<Spender> => {
  const program = fileURLToPath(new URL("./spender.js", import.meta.url))
  const child: ChildProcess = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  await once(child, "message")
  const holding = new Promise<void>((resolve) =>
    child.on("message", ({ kind }: FromSpender) => {
      if (kind === "holding") resolve()
    })
  )
  return {
    holding,
    go: () => void child.send({}),
    spend: (orders) =>
      new Promise((resolve, reject) => {
        child.on("message", (message: FromSpender) => {
          if (message.kind === "done") resolve(message)
        })
        child.once("exit", (code, signal) =>
          signal === "SIGKILL" ? resolve(undefined) : reject(new Error(`a spender ended with ${code ?? signal}`))
        )
        child.send(orders)
      }),
    stop: () => {
      if (child.connected) child.disconnect()
    }
  }
}
