/** Runs one store command: in the server that has the store open, otherwise in this process. */
import { Effect } from "effect"
import type { Configuration } from "../config/readConfiguration.ts"
import { type InputOf, type StoreCommandName, checkInput } from "./storeCommands.ts"
import { withStore } from "./withStore.ts"

export const callStore = Effect.fnUntraced(function* <N extends StoreCommandName>(
  configuration: Configuration,
  name: N,
  input: InputOf<N>
) {
  yield* checkInput(name, input)
  return yield* withStore(configuration, { name, input }, (answer) => Effect.succeed(answer))
})
