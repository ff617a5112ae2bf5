/** Errors of a host's driver in the words of `effect/sql`, by the five characters with which PostgreSQL names them. */
import {
  AuthenticationError,
  AuthorizationError,
  ConnectionError,
  ConstraintError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  SqlError,
  type SqlErrorReason,
  SqlSyntaxError,
  StatementTimeoutError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"
import { ColumnUnreadable } from "./columns.ts"

interface Details {
  readonly cause: unknown
  readonly message: string
  readonly operation: "connect" | "query"
}

/** The first prefix that fits. */
const reasons: readonly (readonly [prefix: string, make: (details: Details) => SqlErrorReason])[] = [
  ["08", (details) => new ConnectionError(details)],
  ["28", (details) => new AuthenticationError(details)],
  ["42501", (details) => new AuthorizationError(details)],
  ["42", (details) => new SqlSyntaxError(details)],
  [
    "23505",
    (details) => new UniqueViolation({ ...details, constraint: textOf(details.cause, "constraint") || "unknown" })
  ],
  ["23", (details) => new ConstraintError(details)],
  ["40P01", (details) => new DeadlockError(details)],
  ["40001", (details) => new SerializationError(details)],
  ["55P03", (details) => new LockTimeoutError(details)],
  ["57014", (details) => new StatementTimeoutError(details)]
]

const textOf = (cause: unknown, name: string): string => {
  const value: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, name) : undefined
  return typeof value === "string" ? value : ""
}

/** What the server said; anything else befell the connection. */
const isOfServer = (cause: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(textOf(cause, "code")) && textOf(cause, "severity") !== ""

/** A statement that was not sent. */
export class ParametersRefused extends Error {}

/** Found by us, while the connection is as good as before. */
const isOurs = (cause: unknown): boolean => cause instanceof ColumnUnreadable || cause instanceof ParametersRefused

/** Whether nothing more can be asked on the connection. */
export const endsConnection = (cause: unknown): boolean =>
  isOfServer(cause) ? /^(?:FATAL|PANIC)$/.test(textOf(cause, "severity")) : !isOurs(cause)

/** The driver knew that the connection was gone, and sent nothing. */
const wasNotSent = (cause: unknown): boolean => textOf(cause, "message").includes("not queryable")

export const sqlFailure = (cause: unknown, operation: Details["operation"]): SqlError => {
  const ofServer = isOfServer(cause)
  const details: Details = {
    cause,
    message: `The host's pool failed to ${operation}`,
    operation: ofServer || !wasNotSent(cause) ? operation : "connect"
  }
  const code = textOf(cause, "code")
  const make = ofServer
    ? reasons.find(([prefix]) => code.startsWith(prefix))?.[1]
    : isOurs(cause)
      ? undefined
      : (all: Details) => new ConnectionError(all)
  return new SqlError({ reason: make === undefined ? new UnknownError(details) : make(details) })
}
