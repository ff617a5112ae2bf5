/** The variables of retention: one for each row of the core's table. */
import {
  type Retained,
  retained,
  retainedNames,
  type RetentionSettings,
  retentionVariable
} from "@gatewarden/core/effect"
import * as z from "zod"
import { printDuration, readDuration } from "../cli/readDuration.ts"

export type RetentionVariable = `GATEWARDEN_KEEP_${Uppercase<Retained>}`

const seconds = (least: number) =>
  z.string().transform((text, context) => {
    const millis = readDuration(text)
    if (millis !== undefined && millis >= least * 1_000) return millis / 1_000
    context.addIssue({ code: "custom", message: "is not valid" })
    return z.NEVER
  })

export const retentionVariables = Object.fromEntries(
  retainedNames.map((name) => {
    const { min_seconds, default_seconds, meaning } = retained[name]
    return [
      retentionVariable(name),
      {
        schema: seconds(min_seconds),
        expected: `a time such as 90s, 30m, 24h or 7d, from ${printDuration(min_seconds)}`,
        meaning: `How long background work keeps ${meaning}.`,
        default: printDuration(default_seconds)
      }
    ]
  })
) as Readonly<
  Record<
    RetentionVariable,
    {
      readonly schema: ReturnType<typeof seconds>
      readonly expected: string
      readonly meaning: string
      readonly default: string
    }
  >
>

/** Seconds, as a configuration gives them. */
export const retentionOf = (values: Readonly<Record<RetentionVariable, number>>): RetentionSettings =>
  Object.fromEntries(
    retainedNames.map((name) => [name, values[retentionVariable(name) as RetentionVariable]])
  ) as RetentionSettings
