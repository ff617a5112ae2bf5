/**
 * What `re2js` compiled a pattern to. It declares these without their types; its version is exact, and a test holds what is run here
 * to what it finds itself.
 */
import type { RE2JS } from "re2js"

export interface Re2Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  readonly matchRune: (rune: number) => boolean
}

export interface Re2Program {
  readonly inst: readonly Re2Instruction[]
  readonly start: number
  /** What must hold where a match begins, as bits; -1: there is none. */
  readonly condition: number
  /** What every match begins with. */
  readonly prefix: string
  /** Every match is the prefix. */
  readonly isLiteral: boolean
  /** What must be in a text that matches. */
  readonly required: RequiredText | null
}

/** `type`: 0 anything, 1 the string, 2 all, 3 one of. */
export interface RequiredText {
  readonly type: number
  readonly str: string
  readonly subs: readonly RequiredText[]
}

export const re2ProgramOf = (compiled: RE2JS): Re2Program => {
  const { prog, cond, prefix, prefixComplete, prefilter } = compiled.re2()
  const { inst, start } = prog as Pick<Re2Program, "inst" | "start">
  return {
    inst,
    start,
    condition: cond as number,
    prefix: (prefix as string | null) ?? "",
    isLiteral: prefixComplete,
    required: prefilter as RequiredText | null
  }
}

/** A long string takes its length times the text to look for, at worst: its beginning is enough to pass over most of a text. */
export const searchable = (string: string): string => string.slice(0, 8)

const maxStrings = 3

/** One of these is in every text that matches; undefined where that says little, or takes long to find out. */
export const requiredStrings = (required: RequiredText | null): readonly string[] | undefined => {
  if (required?.type === 1) return [searchable(required.str)]
  const parts = (required?.subs ?? []).map(requiredStrings)
  if (required?.type === 2) return parts.find((strings) => strings !== undefined)
  if (required?.type !== 3 || parts.length > maxStrings) return undefined
  const strings = parts.flatMap((one) => one ?? [])
  return parts.includes(undefined) || strings.length > maxStrings ? undefined : strings
}
