import type { ErrorStatus } from "../error.ts"

export interface ReasonRow {
  /** The statuses that the reason comes with. */
  readonly statuses: readonly ErrorStatus[]
  readonly means: string
  /** What the caller can do. */
  readonly remedy: string
  /** A request below the base path, or a command, that mends it. */
  readonly call?: string
}

export type ReasonTable = Readonly<Record<string, ReasonRow>>
