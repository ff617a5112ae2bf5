/** Flags that several commands take. */
import { Flag } from "effect/cli"

/** Of what writes or reads CSV. */
export const csvSafe = Flag.Boolean("csv-safe").pipe(
  Flag.withDescription(
    "In CSV, ' stands before a text that a spreadsheet would run as a formula; --no-csv-safe: as recorded."
  ),
  Flag.withDefault(true)
)

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON."), Flag.withDefault(false))

/** A flag whose help names its default. */
export const textOr = (name: string, meaning: string, fallback: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${meaning} Default: \`${fallback}\`.`), Flag.withDefault(fallback))

export const account = textOr("account", "Name of the account.", "default")
