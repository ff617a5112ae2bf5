/**
 * What we use of a host's `pg.Pool`: its shape alone, so that any pool of that shape will do and none is a dependency.
 *
 * Parsers are given with each query. The pool, its settings and its parsers stay as they are, and it is never closed.
 */
export interface HostPool {
  connect(): Promise<HostClient>
}

/** A client of the pool, held for one statement or one transaction. */
export interface HostClient {
  query(query: HostQuery): Promise<HostResult>
  /** Gives the client back; with `true` the pool drops its connection. */
  release(destroy?: boolean): void
  on(event: "error", listener: (error: Error) => void): unknown
  removeListener(event: "error", listener: (error: Error) => void): unknown
  /** The backend's process, by which a statement of it is cancelled. */
  readonly processID?: number | null
}

/** A query as `pg` takes it, with parsers of its own. */
export interface HostQuery {
  readonly text: string
  readonly values?: unknown[]
  readonly rowMode?: "array"
  readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
}

/** What we read of an answer. */
export interface HostResult {
  readonly rows: readonly unknown[]
  readonly command: string
}
