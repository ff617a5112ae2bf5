import type { ErrorStatus } from "../error.ts"

/** The statuses that a reason comes with, its meaning, and what the caller can do. */
export type ReasonTable = Readonly<
  Record<string, { readonly statuses: readonly ErrorStatus[]; readonly means: string; readonly remedy: string }>
>
