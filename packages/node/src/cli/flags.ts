/** Flags that several commands take. */
import { Flag } from "effect/cli"

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON."), Flag.withDefault(false))

/** A flag whose help names its default. */
export const textOr = (name: string, meaning: string, fallback: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${meaning} Default: \`${fallback}\`.`), Flag.withDefault(fallback))

export const account = textOr("account", "Name of the account.", "default")
