/** Runs store commands: in the server that has the store open, otherwise in this process, which keeps it open meanwhile. */
import { defaultSettings, startInstance } from "@gatewarden/core/internal"
import { Context, Effect, Layer } from "effect"
import type { Configuration } from "../config/readConfiguration.ts"
import { type Failed, failed } from "../failure/Failed.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { CommandSql } from "../store/StoreCommand.ts"
import { openStore, orStoreFailure } from "../store/openStore.ts"
import { revealFirstKey } from "../store/revealFirstKey.ts"
import { CommandLine } from "./CommandLine.ts"
import { callServer } from "./callServer.ts"
import { type InputOf, type OutputOf, type StoreCommandName, runStoreCommand, storeCommands } from "./storeCommands.ts"

/** Runs one command. If the server ends between two commands, the second one fails. */
export type CallStore = <N extends StoreCommandName>(name: N, input: InputOf<N>) => Effect.Effect<OutputOf<N>, Failed>

type Run = (name: StoreCommandName, input: unknown) => Effect.Effect<unknown, Failed>

/** The first command decides where all run. If the server does not answer it, it did nothing, so this process can run it. */
export const withStore = Effect.fnUntraced(function* <N extends StoreCommandName, A, E, R>(
  configuration: Configuration,
  first: { readonly name: N; readonly input: InputOf<N> },
  use: (answer: OutputOf<N>, call: CallStore) => Effect.Effect<A, E, R>
) {
  const { database, values } = configuration
  if (database.kind === "memory")
    return yield* failed(
      "store",
      "The in-memory store lives inside the server's process, where no command reaches it: set DATABASE_URL to another store"
    )
  const using = (answer: unknown, run: Run) => use(parse(first.name, answer), callBy(run))
  const remote =
    database.kind === "embedded" ? yield* callServer(values.GATEWARDEN_DATA_DIR, first.name, first.input) : undefined
  if (remote !== undefined) return yield* using(remote.value, runThere(values.GATEWARDEN_DATA_DIR))
  const here = Effect.gen(function* () {
    const run = yield* openHere(configuration)
    return yield* using(yield* run(first.name, first.input), run)
  })
  return yield* Effect.provide(Effect.scoped(here), layerPlatform)
})

const parse = <N extends StoreCommandName>(name: N, value: unknown): OutputOf<N> =>
  storeCommands[name].output.parse(value) as OutputOf<N>

const callBy =
  (run: Run): CallStore =>
  (name, input) =>
    Effect.map(run(name, input), (value) => parse(name, value))

const runThere =
  (directory: string): Run =>
  (name, input) =>
    Effect.flatMap(callServer(directory, name, input), (answer) =>
      answer === undefined
        ? Effect.fail(failed("busy", "The server that held the store has ended"))
        : Effect.succeed(answer.value)
    )

const openHere = Effect.fnUntraced(function* (configuration: Configuration) {
  const { values } = configuration
  const store = yield* openStore(configuration)
  const instance = yield* orStoreFailure(
    startInstance({
      store: Layer.succeedContext(store.ports),
      keyring: store.keyring,
      managementKey: values.GATEWARDEN_MANAGEMENT_KEY,
      settings: defaultSettings,
      announced: false
    })
  )
  yield* revealFirstKey(instance.generatedKey, values.GATEWARDEN_DATA_DIR, (yield* CommandLine).stderr)
  const services = Context.add(instance.services, CommandSql, store)
  const run: Run = (name, input) => orStoreFailure(Effect.provideContext(runStoreCommand(name, input), services))
  return run
})
