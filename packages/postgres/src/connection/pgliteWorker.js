import { PGlite } from "@electric-sql/pglite"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { databaseArchive, unpackDatabase } from "./databaseFile.js"

// @ts-check
/**
 * The thread in which PGlite runs. Plain JavaScript, because a worker is started from this very file both in the
 * sources and in what is published, and Node 20 does not run TypeScript.
 *
 * @import { FromPgliteWorker, PgliteWorkerData, ToPgliteWorker } from "./pgliteDuplex.ts"
 * @import { PGliteOptions } from "@electric-sql/pglite"
 */

/** Answers up to this size are copied once and leave in one message; longer ones leave in parts of this size. */
const answerBufferSize = 64 * 1024
/** Below this the answer is copied out of the buffer, which then serves the next statement. */
const reuseBelow = 16 * 1024

if (parentPort === null) throw new Error("pgliteWorker runs in a worker thread only")
const port = parentPort
/** @type {PgliteWorkerData} */
const options = workerData

/** @type {(message: FromPgliteWorker, transfer?: readonly ArrayBuffer[]) => void} */
const say = (message, transfer = []) => port.postMessage(message, transfer)

/** What WASI calls the failures of a disk. @type {Readonly<Record<number, string>>} */
const wasiErrors = {
  2: "EACCES",
  19: "EDQUOT",
  20: "EEXIST",
  29: "EIO",
  33: "EMFILE",
  51: "ENOSPC",
  54: "ENOTDIR",
  63: "EPERM",
  69: "EROFS"
}

/** PGlite's file system throws objects that have a number and no message; Node's failures are told in the same words. @type {(cause: unknown) => string} */
const describeThrown = (cause) => {
  const { message, errno, syscall, code } = Object(cause)
  if (syscall !== undefined) return `its files cannot be used (${code})`
  if (message !== undefined) return String(message)
  return typeof errno === "number"
    ? `its files cannot be used (${wasiErrors[errno] ?? `WASI error ${errno}`})`
    : String(cause)
}

/** @type {(cause: unknown) => void} */
const fail = (cause) => {
  const { code, errno } = Object(cause)
  const known = code ?? wasiErrors[errno]
  say({
    op: "failed",
    message: describeThrown(cause),
    code: known === undefined ? undefined : String(known)
  })
  port.close()
}

/** One simple-query message, for what the worker itself asks of the backend. @type {(sql: string) => Buffer} */
const simpleQuery = (sql) => {
  const message = Buffer.alloc(6 + Buffer.byteLength(sql))
  message.write("Q", 0)
  message.writeInt32BE(message.length - 1, 1)
  message.write(sql, 5)
  return message
}

// Sync first: a session that ended between Parse and Sync leaves the backend skipping everything up to a Sync.
const endSession = Buffer.concat([Buffer.from([0x53, 0, 0, 0, 4]), simpleQuery("ROLLBACK"), simpleQuery("DISCARD ALL")])

/** @type {(prepared: string) => Promise<PGlite>} */
const createOf = async (prepared) => {
  if (options.dataDir === undefined) return PGlite.create({ loadDataDir: new Blob([databaseArchive(prepared)]) })
  unpackDatabase(prepared, options.dataDir)
  return PGlite.create({ dataDir: options.dataDir })
}

/** @type {() => Promise<PGlite>} */
const boot = async () => {
  const fresh = options.dataDir === undefined || !existsSync(join(options.dataDir, "PG_VERSION"))
  if (fresh && options.prepared !== undefined && (options.dataDir !== undefined || options.snapshot === undefined)) {
    const database = await createOf(options.prepared.file)
    await database.exec(options.prepared.date)
    return database
  }
  const snapshot =
    fresh && options.snapshot !== undefined && existsSync(options.snapshot) ? options.snapshot : undefined
  /** @type {PGliteOptions} */
  const settings = {}
  if (options.dataDir !== undefined) settings.dataDir = options.dataDir
  if (snapshot !== undefined) settings.loadDataDir = new Blob([await readFile(snapshot)])
  const database = await PGlite.create(settings)
  if (options.snapshot !== undefined && options.dataDir === undefined && snapshot === undefined) {
    // Not compressed: each start from it would unpack it first.
    const dump = await database.dumpDataDir("none")
    // Written aside and renamed, so that whoever finds the file finds all of it.
    const aside = `${options.snapshot}.${randomUUID()}`
    await writeFile(aside, new Uint8Array(await dump.arrayBuffer()))
    await rename(aside, options.snapshot)
  }
  return database
}

let buffer = new Uint8Array(answerBufferSize)
let filled = 0

/** @type {(session: number, done: boolean) => void} */
const flush = (session, done) => {
  if (filled === 0) return say({ op: "answer", session, bytes: undefined, done })
  const bytes = filled < reuseBelow ? buffer.slice(0, filled) : buffer.subarray(0, filled)
  if (bytes.buffer === buffer.buffer) buffer = new Uint8Array(answerBufferSize)
  filled = 0
  say({ op: "answer", session, bytes, done }, [bytes.buffer])
}

/** @type {(database: PGlite, session: number, message: Uint8Array) => Promise<void>} */
const answer = async (database, session, message) => {
  // The raw stream neither parses nor keeps what it answers; `execProtocolRaw` does both, and keeps it for ever.
  await database.execProtocolRawStream(message, {
    onRawData: (bytes) => {
      for (let offset = 0; offset < bytes.length;) {
        const part = bytes.subarray(offset, offset + answerBufferSize - filled)
        buffer.set(part, filled)
        filled += part.length
        offset += part.length
        if (filled === answerBufferSize) flush(session, false)
      }
    }
  })
  flush(session, true)
}

/** @type {(database: PGlite, message: ToPgliteWorker) => Promise<void>} */
const handle = async (database, message) => {
  switch (message.op) {
    case "start":
    case "execute":
      return answer(database, message.session, message.bytes)
    case "end":
      return database.execProtocolRawStream(endSession, { onRawData: () => {} })
    case "close":
      await database.close()
      say({ op: "closed" })
      port.close()
  }
}

let failed = false
let last = boot()
  .then((database) => {
    say({ op: "ready" })
    port.on("message", (/** @type {ToPgliteWorker} */ message) => {
      last = last
        .then(async () => {
          if (failed) return
          await handle(database, message)
        })
        .catch(broken)
    })
  })
  .catch(broken)

/** An exception means that the backend itself has exited: a failed statement is an answer, not an exception. */
function broken(/** @type {unknown} */ cause) {
  failed = true
  fail(cause)
}
