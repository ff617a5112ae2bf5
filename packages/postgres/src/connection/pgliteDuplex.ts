import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import { cutMessages } from "./cutMessages.ts"

/** Request codes that stand where a startup packet has its protocol version (PostgreSQL, "Message Formats"). */
const cancelRequest = 80877102
const encryptionRequests = [80877103, 80877104]
/** The longest startup packet that PostgreSQL accepts. */
const longestStartup = 10_000

/** What one stream hears from the backend. */
export interface PgliteListener {
  /** The backend is this stream's until it releases it. */
  readonly onTurn: () => void
  /** Part of the answer; `done` with the last part of the answer to one request. */
  readonly onAnswer: (bytes: Uint8Array | undefined, done: boolean) => void
  /** Someone asks that the statement on its way be stopped. */
  readonly onCancel: () => void
  /** The backend is gone. */
  readonly onBroken: (cause: Error) => void
}

/** The one backend that PGlite has, for one stream at a time: others wait, as with `max_connections = 1`. */
export interface PgliteBackend {
  readonly claim: (listener: PgliteListener) => void
  readonly release: (listener: PgliteListener) => void
  /** Passes a CancelRequest to the stream whose turn it is. */
  readonly cancel: () => void
  /** Sends a startup packet or whole messages, and takes the bytes away from the sender. */
  readonly send: (op: "start" | "execute", bytes: Uint8Array<ArrayBuffer>) => void
}

/**
 * A stream that speaks the PostgreSQL wire protocol to PGlite, as a socket does to a server.
 *
 * Messages may arrive cut at any byte. Requests for encryption are refused (`N`). A write is
 * acknowledged when its answer is complete, so a stream never has more than one batch on its way.
 *
 * PGlite cannot stop a running statement. A CancelRequest, which clients send on a stream of its own, therefore never
 * reaches it: it ends the stream that waits for the statement, so that whoever gave up need not wait. The backend goes
 * to the next stream when the statement ends, rolled back and with no session state.
 */
export const pgliteDuplex = (backend: PgliteBackend): Duplex => {
  let pending: Buffer[] = []
  let size = 0
  let needed = 8
  let started = false
  let terminated = false
  let acknowledge: ((error?: Error) => void) | undefined
  let startup: Uint8Array<ArrayBuffer> | undefined

  const gather = (): Buffer => {
    const all = pending.length === 1 && pending[0] !== undefined ? pending[0] : Buffer.concat(pending, size)
    pending = [all]
    return all
  }

  const drop = (length: number): void => {
    const rest = gather().subarray(length)
    pending = rest.length === 0 ? [] : [rest]
    size = rest.length
  }

  const take = (length: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(gather().subarray(0, length))
    drop(length)
    return bytes
  }

  const settle = (): void => {
    const done = acknowledge
    acknowledge = undefined
    done?.()
  }

  /** Sends what is whole, and answers whether a reply is on its way. */
  const proceed = (): boolean => {
    while (!started) {
      if (size < needed) return false
      const bytes = gather()
      const length = bytes.readInt32BE(0)
      const code = bytes.readInt32BE(4)
      if (length < 8 || length > longestStartup) throw new RangeError("This is not a PostgreSQL startup packet")
      if (size < length) {
        needed = length
        return false
      }
      needed = 8
      if (code === cancelRequest) {
        backend.cancel()
        stream.destroy()
        return false
      }
      if (encryptionRequests.includes(code)) {
        drop(length)
        stream.push("N")
        continue
      }
      startup = take(length)
      started = true
      needed = 0
      backend.claim(listener)
      return true
    }
    if (size === 0 || size < needed) return false
    const cut = cutMessages(gather())
    needed = Math.max(cut.needed - cut.end, 1)
    terminated = cut.terminated
    if (cut.end > 0) {
      backend.send("execute", take(cut.end))
      return true
    }
    if (terminated) stream.destroy()
    return false
  }

  const advance = (): void => {
    try {
      if (terminated) stream.destroy()
      else if (!proceed()) settle()
    } catch (cause) {
      stream.destroy(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  const listener: PgliteListener = {
    onTurn: () => {
      if (startup !== undefined) backend.send("start", startup)
      startup = undefined
    },
    onAnswer: (bytes, done) => {
      if (bytes !== undefined) stream.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      if (done) advance()
    },
    onCancel: () => {
      if (acknowledge !== undefined) stream.destroy(new Error("The statement was cancelled"))
    },
    onBroken: (cause) => stream.destroy(cause)
  }

  const stream = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, callback) => {
      acknowledge = callback
      pending.push(chunk)
      size += chunk.length
      advance()
    },
    final: (callback) => {
      callback()
      stream.destroy()
    },
    destroy: (cause, callback) => {
      backend.release(listener)
      callback(cause)
    }
  })
  return stream
}

/**
 * What the two sides of the PGlite worker say to each other.
 *
 * Bytes always travel as transferred buffers: the sender may not touch them afterwards.
 */
/** What the worker is started with. */
export interface PgliteWorkerData {
  /** Absolute path of the data directory, or `undefined` for a database in memory. */
  readonly dataDir: string | undefined
  /** File to boot a new database from; a memory database writes it when it is missing. */
  readonly snapshot: string | undefined
  /** What a new database is made of, unless a memory database has a `snapshot`. */
  readonly prepared: PreparedDatabase | undefined
}

/** A new database with its schema. */
export interface PreparedDatabase {
  /** As `packDatabase` makes it. */
  readonly file: string
  /** Statements that give it the present date. */
  readonly date: string
}

export type ToPgliteWorker =
  /** The startup packet of a new session. */
  | { readonly op: "start"; readonly session: number; readonly bytes: Uint8Array }
  /** Whole protocol messages of a session. */
  | { readonly op: "execute"; readonly session: number; readonly bytes: Uint8Array }
  /** The session is over: whatever it left behind in the backend is undone. */
  | { readonly op: "end" }
  /** Shut the database down and leave its directory clean. */
  | { readonly op: "close" }

export type FromPgliteWorker =
  | { readonly op: "ready" }
  /** The database did not start, or its backend is gone; nothing follows. */
  | { readonly op: "failed"; readonly message: string; readonly code: string | undefined }
  /** Part of an answer; `done` with the last part of the answer to one `start` or `execute`. */
  | { readonly op: "answer"; readonly session: number; readonly bytes: Uint8Array | undefined; readonly done: boolean }
  | { readonly op: "closed" }
