/** What a bench measures, and what it takes to pass. */
import type { Bench } from "./openBench.ts"

/** Works for so many milliseconds and answers how often it was done per second. */
export type Contender = (millis: number) => Promise<number>

/** Throughput beside the bare equivalent of the same run. */
export interface Race {
  readonly kind: "race"
  readonly name: string
  /** The least ratio to the fastest of the bare equivalents that passes. */
  readonly atLeast: number
  /** The part of the time of other races that this one takes, as a row of a table of many. Default 1. */
  readonly share?: number
  readonly open: (bench: Bench) => Promise<RaceContenders>
}

export interface RaceContenders {
  readonly ours: Contender
  /** By what makes each of them different. */
  readonly bare: Readonly<Record<string, Contender>>
  /** The label of the one that the gate compares with. Default: the fastest. */
  readonly gated?: string
  /** The processes whose time counts, ours and by label. Default: this one. */
  readonly pids?: { readonly ours: number; readonly bare: Readonly<Record<string, number>> }
  readonly close: () => Promise<void>
}

/** A single figure. */
export interface Reading {
  readonly kind: "reading"
  readonly name: string
  readonly unit: string
  /** What is aimed at: less is better. */
  readonly atMost: number | undefined
  /** Where more is better, in place of `atMost`. */
  readonly atLeast?: number
  /** Whether missing the aim fails the run. */
  readonly gated: boolean
  readonly read: (bench: Bench) => Promise<ReadingTaken>
}

export interface ReadingTaken {
  readonly value: number
  /** The same of the bare equivalent, where there is one. */
  readonly bare?: number
}

export type Measure = Race | Reading

/** How long and how often. */
export interface Pace {
  /** What compilers and caches need to get going, which is not measured. */
  readonly warmUpMillis: number
  readonly rounds: number
  readonly roundMillis: number
}
