/** Flags that several commands take. */
import { Flag } from "effect/cli"

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON."), Flag.withDefault(false))

export const account = Flag.String("account").pipe(
  Flag.withDescription("Name of the account, `default` without it."),
  Flag.withDefault("default")
)
