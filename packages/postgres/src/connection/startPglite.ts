import { resolve } from "node:path"
import type { Duplex } from "node:stream"
import { Worker } from "node:worker_threads"
import { lockDirectory } from "./lockDirectory.ts"
import {
  type FromPgliteWorker,
  type PgliteListener,
  type PgliteWorkerData,
  type PreparedDatabase,
  type ToPgliteWorker,
  pgliteDuplex
} from "./pgliteDuplex.ts"

/** How long a close waits for the statement that runs, before the worker is ended without it. */
const closeTimeoutMillis = 10_000

export interface PgliteOptions {
  /** Directory of the database, made when missing; `undefined` for a database in memory. */
  readonly dataDir: string | undefined
  /**
   * File to boot a new, empty database from, which is several times faster than making one. A database in memory
   * writes the file when it is missing. It fits one version of PGlite: keep it no longer than a test run.
   */
  readonly snapshot?: string | undefined
  /** What a new database is made of, unless `snapshot` is given for one in memory; default: PostgreSQL makes an empty one. */
  readonly prepared?: PreparedDatabase | undefined
}

/** A running PGlite: one backend in a worker thread. */
export interface Pglite {
  /** A stream to the backend. Streams take turns: one that starts while another is open waits for its end. */
  readonly connect: () => Duplex
  /** Ends the streams, shuts the database down so that its directory is clean, and ends the worker. */
  readonly close: () => Promise<void>
}

/** `code`: what the operating system or Node calls the failure, where it was one of theirs. */
const describe = (message: string, code: string | undefined): Error & { readonly code?: string } =>
  Object.assign(
    new Error(
      code === "ERR_MODULE_NOT_FOUND" && message.includes("@electric-sql/pglite")
        ? "The embedded database needs the package @electric-sql/pglite, which is not installed"
        : `PGlite failed: ${message}`
    ),
    code === undefined ? {} : { code }
  )

/**
 * Starts PGlite in a worker thread, so that a heavy statement does not stop the event loop.
 *
 * Rejects when the directory is in use or cannot be opened, and when `@electric-sql/pglite` is not installed.
 */
export const startPglite = async (options: PgliteOptions): Promise<Pglite> => {
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir)
  const unlock = dataDir === undefined ? async () => {} : await lockDirectory(dataDir)

  const workerData: PgliteWorkerData = { dataDir, snapshot: options.snapshot, prepared: options.prepared }
  const worker = new Worker(new URL("./pgliteWorker.js", import.meta.url), { workerData, name: "pglite" })

  let broken: Error | undefined
  let session = 0
  let current: PgliteListener | undefined
  let waiting: PgliteListener[] = []
  let booted = (_cause?: Error): void => {}
  let closed = (): void => {}

  const post = (message: ToPgliteWorker, transfer: ArrayBuffer[] = []): void => worker.postMessage(message, transfer)

  const endStreams = (cause: Error): void => {
    broken ??= cause
    const listeners = current === undefined ? waiting : [current, ...waiting]
    current = undefined
    waiting = []
    for (const listener of listeners) listener.onBroken(broken)
  }

  const breakDown = (cause: Error): void => {
    endStreams(cause)
    booted(cause)
    closed()
  }

  const nextTurn = (listener: PgliteListener | undefined): void => {
    current = listener
    session++
    listener?.onTurn()
  }

  worker.on("message", (message: FromPgliteWorker) => {
    switch (message.op) {
      case "ready":
        return booted()
      case "answer":
        // The answer to a stream that left meanwhile is nobody's.
        return message.session === session ? current?.onAnswer(message.bytes, message.done) : undefined
      case "failed":
        return breakDown(describe(message.message, message.code))
      case "closed":
        return closed()
    }
  })
  worker.on("error", (cause: NodeJS.ErrnoException) => breakDown(describe(cause.message, cause.code)))
  worker.on("exit", (code) => breakDown(new Error(`The PGlite worker ended with code ${code}`)))

  const shutDown = async (): Promise<void> => {
    await worker.terminate()
    await unlock()
  }

  try {
    await new Promise<void>((resolve, reject) => {
      booted = (cause) => (cause === undefined ? resolve() : reject(cause))
    })
  } catch (cause) {
    await shutDown()
    throw cause
  }

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    if (broken === undefined) {
      const timer = { id: undefined as NodeJS.Timeout | undefined }
      await new Promise<void>((resolve) => {
        closed = resolve
        timer.id = setTimeout(resolve, closeTimeoutMillis)
        endStreams(new Error("The database is closed"))
        post({ op: "close" })
      })
      clearTimeout(timer.id)
    }
    await shutDown()
  }

  return {
    connect: () =>
      pgliteDuplex({
        claim: (listener) => {
          if (broken !== undefined) listener.onBroken(broken)
          else if (current === undefined) nextTurn(listener)
          else waiting.push(listener)
        },
        release: (listener) => {
          waiting = waiting.filter((other) => other !== listener)
          if (listener !== current) return
          post({ op: "end" })
          nextTurn(waiting.shift())
        },
        cancel: () => current?.onCancel(),
        send: (op, bytes) => post({ op, session, bytes }, [bytes.buffer])
      }),
    close: () => (closing ??= close())
  }
}
