/** Runs a store command where the store is: in the server that holds it, else in this process. */
import { defaultSettings, startInstance } from "@gatewarden/core/effect"
import { Context, Effect, Layer } from "effect"
import type { Configuration } from "../config/readConfiguration.ts"
import { exitCode } from "../exitCode.ts"
import { failed } from "../Failed.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { revealFirstKey } from "../server/revealFirstKey.ts"
import { openStore } from "../store/openStore.ts"
import { CommandLine } from "./CommandLine.ts"
import { callServer } from "../command/callServer.ts"
import { CommandSql } from "../command/StoreCommand.ts"
import {
  checkInput,
  type InputOf,
  type OutputOf,
  runStoreCommand,
  storeCommands,
  type StoreCommandName
} from "../command/storeCommands.ts"

export const callStore = Effect.fnUntraced(function* <N extends StoreCommandName>(
  configuration: Configuration,
  name: N,
  input: InputOf<N>
) {
  const { database, values } = configuration
  yield* checkInput(name, input)
  if (database.kind === "memory")
    return yield* failed(
      exitCode.unavailable,
      "The in-memory store lives inside the server's process, where no command reaches it"
    )
  const remote = database.kind === "embedded" ? yield* callServer(values.GATEWARDEN_DATA_DIR, name, input) : undefined
  const value = remote === undefined ? yield* Effect.scoped(callHere(configuration, name, input)) : remote.value
  return storeCommands[name].output.parse(value) as OutputOf<N>
})

const callHere = Effect.fnUntraced(function* (configuration: Configuration, name: StoreCommandName, input: unknown) {
  const { values } = configuration
  const store = yield* openStore(configuration)
  const instance = yield* startInstance({
    store: Layer.succeedContext(store.ports),
    keyring: store.keyring,
    managementKey: values.GATEWARDEN_MANAGEMENT_KEY,
    settings: defaultSettings
  })
  yield* revealFirstKey(instance.generatedKey, values.GATEWARDEN_DATA_DIR, (yield* CommandLine).stderr)
  const services = Context.add(instance.services, CommandSql, { sql: store.sql })
  return yield* Effect.provideContext(runStoreCommand(name, input), services)
}, Effect.provide(layerPlatform))
