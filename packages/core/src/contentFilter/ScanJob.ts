/**
 * Texts to look through and what to look for: plain data, so that another thread can do it. Engines, expressions and prefilters
 * are made where the job runs.
 */
import type { InjectionPattern } from "./injectionPatterns.ts"
import type { ScannedBuiltin } from "./builtinFinders.ts"
import type { Span } from "./Span.ts"

export type Sought =
  | { readonly kind: "builtin"; readonly slug: ScannedBuiltin }
  | { readonly kind: "injection" }
  | { readonly kind: "pattern"; readonly pattern: string }

export interface ScanJob {
  readonly sought: readonly Sought[]
  readonly texts: readonly string[]
  /** All that may be spent, in milliseconds. */
  readonly budgetMillis: number
}

/** `sought` and `text` by their places in the job. */
export interface Hit extends Span {
  readonly sought: number
  readonly text: number
  /** The pattern of prompt injection. */
  readonly name?: InjectionPattern
}

export interface ScanResult {
  readonly hits: readonly Hit[]
  /** What was not looked for everywhere in time, by place in the job. */
  readonly unfinished: readonly number[]
}
