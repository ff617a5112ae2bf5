/**
 * An instance that keeps its data as the server does, for a host that serves it itself: the same variables, data directory, keyring,
 * first key and lock, so that the command line finds it while it runs.
 */
import { requireOptions } from "@gatewarden/contract/internal"
import type { BodyLimits, Gatewarden } from "@gatewarden/core"
import { type Services, openInstance, makeStore } from "@gatewarden/core/internal"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../config/Environment.ts"
import { mailOf } from "../config/mailVariables.ts"
import { type Configuration, readConfiguration } from "../config/readConfiguration.ts"
import { retentionOf } from "../config/retentionVariables.ts"
import { serveCommands } from "../control/serveCommands.ts"
import { Failed, failed } from "../failure/Failed.ts"
import { layerLogs } from "../logging/layerLogs.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { guardedPlatform } from "../platform/nodePlatform.ts"
import { readCatalogs } from "../server/readCatalogs.ts"
import { settingsOf } from "../server/settingsOf.ts"
import { CommandSql } from "../store/StoreCommand.ts"
import { openStore, orStoreFailure } from "../store/openStore.ts"
import { revealFirstKey } from "../store/revealFirstKey.ts"

/** What `openGatewarden` rejects with: `message` says what is wrong and what to do, `exitCode` tells a supervisor whether to try again. */
export class StartFailure extends Error {
  override readonly name = "StartFailure"
  /** 69, 75: try again later; 78: the configuration has to be changed first; 1: anything else. */
  readonly exitCode: number

  constructor({ exitCode, lines }: { readonly exitCode: number; readonly lines: readonly string[] }) {
    super(lines.join("\n"))
    this.exitCode = exitCode
  }
}

/** What `openGatewarden` is given. */
export interface OpenOptions {
  /** The variables of the server; default `process.env`. */
  readonly environment?: Environment
  /** Whether the instance does background work by itself; default: what the variable `GATEWARDEN_BACKGROUND` says. */
  readonly background?: boolean
  /**
   * A catalog as `PUT /gateway/catalog` takes it, of which the models are put that the store does not have. What the variable
   * `GATEWARDEN_CATALOG` names is put in any case, as by the server.
   */
  readonly catalog?: string
}

/** An instance with the settings that the host's own server needs. */
export interface OpenedGatewarden {
  /** The instance. */
  readonly gatewarden: Gatewarden
  /** The address to listen on, from `HOST`. */
  readonly host: string
  /** The port to listen on, from `PORT`. */
  readonly port: number
  /** What the variables say of requests' bodies, for the paths that the host serves itself (`bodyReceiver`). */
  readonly bodies: BodyLimits
  /** Milliseconds that the headers of a request may take. */
  readonly headersTimeout: number
  /** Where the data are: a directory, or `undefined` when they are in PostgreSQL or nowhere. */
  readonly dataDirectory: string | undefined
  /** The file with the first management key, where there is one. */
  readonly managementKeyFile: string | undefined
  /**
   * Closes the instance, then the store.
   *
   * @returns when both are closed
   * @throws nothing
   * @example
   * process.once("SIGTERM", () => opened.close())
   */
  readonly close: () => Promise<void>
}

const opened = Effect.fnUntraced(function* (
  configuration: Configuration,
  { catalog, background = configuration.values.GATEWARDEN_BACKGROUND }: OpenOptions
) {
  const { database, values } = configuration
  const directory = values.GATEWARDEN_DATA_DIR
  const { fill } = yield* readCatalogs(configuration, catalog)
  const store = yield* openStore(configuration)
  const { bodies, storage } = settingsOf(values)
  const key = values.GATEWARDEN_MANAGEMENT_KEY
  const mail = mailOf(values)
  const { GATEWARDEN_REGION_HOSTS: hosts, GATEWARDEN_TRUST_PROXY: trustProxy } = values
  const region = values.GATEWARDEN_REGION ?? (hosts === undefined ? undefined : { hosts, trustProxy })
  const { gatewarden, services } = yield* Effect.acquireRelease(
    Effect.promise(() =>
      openInstance(
        {
          platform: guardedPlatform(values.GATEWARDEN_ALLOW_PRIVATE_NETWORKS),
          store: makeStore(database.kind, Layer.succeedContext(store.ports)),
          managementKey: key === undefined ? undefined : Redacted.value(key),
          analyticsTimeoutMillis: values.GATEWARDEN_ANALYTICS_TIMEOUT_MS,
          wire: values.GATEWARDEN_WIRE,
          basePath: values.GATEWARDEN_BASE_PATH,
          docUrl: values.GATEWARDEN_DOC_URL,
          publicUrl: values.GATEWARDEN_PUBLIC_URL,
          authPage: values.GATEWARDEN_AUTH_PAGE,
          bodies,
          background,
          retention: retentionOf(values),
          ...(storage === undefined ? {} : { storage }),
          ...(region === undefined ? {} : { region }),
          ...(mail === undefined ? {} : { mail }),
          ...(values.GATEWARDEN_PRESIDIO_URL === undefined ? {} : { presidio: { url: values.GATEWARDEN_PRESIDIO_URL } })
        },
        store.keyring
      )
    ),
    ({ gatewarden }) => Effect.promise(() => gatewarden.close())
  )
  const { generatedKey } = gatewarden
  yield* revealFirstKey(generatedKey === undefined ? undefined : Redacted.make(generatedKey), directory, process.stderr)
  const withStore: Context.Context<Services | CommandSql> = Context.add(services, CommandSql, store)
  yield* Effect.provideContext(fill, services)
  if (database.kind === "embedded") yield* serveCommands(directory, withStore)
  const file = join(directory, "management-key")
  return {
    gatewarden,
    host: values.HOST,
    port: values.PORT,
    bodies,
    headersTimeout: values.GATEWARDEN_HEADERS_TIMEOUT_MS,
    dataDirectory: database.kind === "embedded" ? directory : undefined,
    managementKeyFile: existsSync(file) ? file : undefined
  }
})

/**
 * Opens an instance with the variables, the data directory, the keyring and the first key of the server, for a host that serves it itself. The
 * command line finds it while it runs.
 *
 * @param given see [OpenOptions](#openoptions)
 * @returns the instance, and what the host's own server needs
 * @throws StartFailure for what the server would exit for; TypeError for an option that does not exist. Nothing stays open then.
 * @example
 * const { gatewarden, close } = await openGatewarden()
 */
export const openGatewarden = async (given: OpenOptions = {}): Promise<OpenedGatewarden> => {
  requireOptions<OpenOptions>("openGatewarden", given, { environment: true, catalog: true, background: true })
  const { environment = process.env, ...options } = given
  const read = readConfiguration({ environment, readFile: (path) => readFileSync(path, "utf8") })
  if ("errors" in read) throw new StartFailure(failed("configuration", ...read.errors))
  const { configuration } = read
  const scope = Scope.makeUnsafe()
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const effect = orStoreFailure(opened(configuration, options)).pipe(
      Scope.provide(scope),
      Effect.provide([layerPlatform, layerLogs(configuration.values.GATEWARDEN_LOG_LEVEL)])
    )
    return { ...(await Effect.runPromise(effect)), close }
  } catch (cause) {
    await close()
    throw cause instanceof Failed ? new StartFailure(cause) : cause
  }
}
