/** What a failure to read or write a file means to the command line. */
import { type Failed, failed } from "./Failed.ts"

/** By the operating system (the last two), or by PostgreSQL (disk_full). */
const fullCodes: readonly unknown[] = ["53100", "ENOSPC", "EDQUOT"]

/** A full disk is no fault of the configuration: the same command succeeds once there is room. */
export const isFull = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && fullCodes.includes(cause.code)

/** `ENOENT`, or that the cause is unknown. */
const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "unknown cause"

/** `problem` names the file, such as "events.csv cannot be written". */
export const fileFailure = (problem: string, cause: unknown): Failed =>
  failed(isFull(cause) ? "disk_full" : "file", `${problem} (${codeOf(cause)})`)
