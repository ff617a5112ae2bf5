/**
 * The server of a configuration, from opening the store to closing it.
 *
 * Rule: operating#first-line. The first line of stdout says that it listens; nothing else is written there.
 */
import {
  BackgroundJobs,
  DeliveryQueue,
  Detector,
  deliveryHealth,
  jobHealth,
  makeProviderFiles,
  MailTransport,
  OutgoingFetch,
  presidioDetector,
  ProviderFiles
} from "@gatewarden/core/internal"
import { Context, Effect, Layer, type Redacted } from "effect"
import { existsSync } from "node:fs"
import { apiPagePath } from "../apiPage/apiPage.ts"
import { addressProblem } from "../config/addressProblem.ts"
import { mailOf } from "../config/mailVariables.ts"
import { serveCommands } from "../control/serveCommands.ts"
import { CommandSql } from "../store/StoreCommand.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import type { Metrics } from "../metrics/makeMetrics.ts"
import { serveMetrics } from "../metrics/serveMetrics.ts"
import { guardedFetch } from "../outgoing/guardedFetch.ts"
import { openStore, orStoreFailure } from "../store/openStore.ts"
import { watchInstance } from "../metrics/watchInstance.ts"
import { banner } from "./banner.ts"
import type { HostRoutes, Served, Started } from "./HostRoutes.ts"
import { pagesOf } from "./pagesOf.ts"
import { readCatalogs } from "./readCatalogs.ts"
import { requireOpening } from "./requireOpening.ts"
import { firstKeyFile, revealFirstKey } from "../store/revealFirstKey.ts"
import { retentionOf } from "../config/retentionVariables.ts"
import { sampleCatalogDate } from "./sampleCatalog.ts"
import { settingsOf } from "./settingsOf.ts"
import { startServer } from "./startServer.ts"

export interface ServeOptions {
  readonly configuration: Configuration
  /** Completes when the process is told to stop. */
  readonly stopped: Effect.Effect<void>
  readonly stdout: Pick<NodeJS.WriteStream, "write">
  readonly stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">
  /** What a host adds to the server. */
  readonly added?: Added | undefined
}

export interface Added {
  readonly routes: (served: Served) => HostRoutes
  readonly catalog?: string | undefined
  readonly banner?: ((started: Started) => string) | undefined
}

/** What a connection may be silent for beside the longest query. */
const silenceMillis = 120_000

/** Serves until it is told to stop, then drains. Being told while it still starts ends the start. */
export const serve = (options: ServeOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { services, metrics } = yield* watchInstance(options.configuration)
      const starting = Effect.provideContext(start(options, metrics), services)
      const server = yield* Effect.raceFirst(starting, Effect.as(options.stopped, undefined))
      if (server === undefined) return
      options.stdout.write(`gatewarden listening on ${server.url}\n`)
      if (options.stderr.isTTY) options.stderr.write(server.banner)
      yield* options.stopped
      yield* Effect.logInfo("draining")
      yield* server.drain
    })
  )

/** The operator names the analyzer, so it may be on this machine: that is where it is meant to be. */
const detectorAt = (url: string | undefined) =>
  url === undefined ? undefined : presidioDetector({ url, fetch: guardedFetch({ allowPrivate: true }) })

/** How often metrics look at background work, which the whole installation shares. */
const lookEvery = "5 seconds"

const measureBackground = (metrics: Metrics) =>
  Effect.flatMap(BackgroundJobs, ({ states }) => states).pipe(
    Effect.map(({ now, jobs }) => metrics.background(jobHealth(now, jobs))),
    Effect.andThen(Effect.flatMap(DeliveryQueue, ({ backlog }) => backlog)),
    Effect.map((backlog) => metrics.deliveries(deliveryHealth(backlog))),
    Effect.ignoreCause,
    Effect.andThen(Effect.sleep(lookEvery)),
    Effect.forever,
    Effect.withTracerEnabled(false),
    Effect.forkScoped
  )

const start = Effect.fnUntraced(function* (
  { configuration, stderr, added }: ServeOptions,
  metrics: Metrics | undefined
) {
  const { database, values } = configuration
  const metricsPort = values.GATEWARDEN_METRICS_PORT
  const metricsUrl =
    metrics === undefined || metricsPort === undefined
      ? undefined
      : yield* serveMetrics(metrics, values.HOST, metricsPort)
  const { fill, hasSample } = yield* readCatalogs(configuration, added?.catalog)
  const store = yield* openStore(configuration)
  const outgoing = guardedFetch({ allowPrivate: values.GATEWARDEN_ALLOW_PRIVATE_NETWORKS })
  const providerFiles = makeProviderFiles({ fetch: outgoing })
  let key: Redacted.Redacted<string> | undefined
  const server = yield* startServer({
    store: Layer.succeedContext(store.ports),
    keyring: store.keyring,
    managementKey: values.GATEWARDEN_MANAGEMENT_KEY,
    settings: settingsOf(values),
    background: values.GATEWARDEN_BACKGROUND ? retentionOf(values) : undefined,
    pages: pagesOf(values, metrics),
    routes: added?.routes,
    host: values.HOST,
    port: values.PORT,
    drainDelay: values.GATEWARDEN_DRAIN_DELAY_MS,
    drainTimeout: values.GATEWARDEN_DRAIN_TIMEOUT_MS,
    headersTimeout: values.GATEWARDEN_HEADERS_TIMEOUT_MS,
    idleTimeout: values.GATEWARDEN_ANALYTICS_TIMEOUT_MS + silenceMillis,
    prepare: Effect.fnUntraced(function* (generatedKey) {
      yield* revealFirstKey(generatedKey, values.GATEWARDEN_DATA_DIR, stderr)
      key = generatedKey
      yield* requireOpening(values)
      yield* fill
    })
  }).pipe(
    Effect.provideService(ProviderFiles, providerFiles),
    Effect.provideService(OutgoingFetch, outgoing),
    Effect.provideService(MailTransport, mailOf(values)),
    Effect.provideService(Detector, detectorAt(values.GATEWARDEN_PRESIDIO_URL)),
    orStoreFailure
  )
  if (metrics !== undefined) yield* Effect.provideContext(measureBackground(metrics), server.services)
  if (database.kind === "embedded")
    yield* serveCommands(values.GATEWARDEN_DATA_DIR, Context.add(server.services, CommandSql, store))
  yield* Effect.logInfo("serving", {
    store: database.kind,
    ...(hasSample ? { sample_catalog: `prices of ${sampleCatalogDate}` } : {}),
    ...server.notes,
    ...(metricsUrl === undefined ? {} : { metrics: metricsUrl })
  })
  const problem = addressProblem(values)
  if (problem !== undefined) yield* Effect.logWarning("no public address", { problem })
  const keyFile = firstKeyFile(values.GATEWARDEN_DATA_DIR)
  const managementKeyFile = existsSync(keyFile) ? keyFile : undefined
  const pageUrl = values.GATEWARDEN_DOCS ? new URL(apiPagePath, server.url).href : undefined
  const dataDirectory = database.kind === "embedded" ? values.GATEWARDEN_DATA_DIR : undefined
  const shown =
    added?.banner?.({ url: server.url, pageUrl, dataDirectory, managementKeyFile }) ??
    banner({ url: server.url, pageUrl, hasSample, generatedKey: key, keyFile: managementKeyFile })
  return { ...server, banner: shown }
})
