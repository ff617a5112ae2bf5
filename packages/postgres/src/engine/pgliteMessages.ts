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
