import { Accounts } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { failed } from "../failure/Failed.ts"

export const accountNamed = Effect.fnUntraced(function* (name: string) {
  const found = yield* (yield* Accounts).findByName(name)
  if (Option.isSome(found)) return found.value
  return yield* failed("missing", `There is no account "${name}"`)
})
