import { Accounts } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { exitCode } from "../../exitCode.ts"
import { failed } from "../../Failed.ts"

export const accountNamed = Effect.fnUntraced(function* (name: string) {
  const found = yield* (yield* Accounts).findByName(name)
  if (Option.isSome(found)) return found.value
  return yield* failed(exitCode.failure, `There is no account "${name}"`)
})
