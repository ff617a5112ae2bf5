/**
 * The Promise door's one constructor: an instance as a value, over a store, a keyring and settings.
 *
 * Source: docs/embedding.md. A start that fails rejects and may be tried again; two instances share nothing.
 */
import type { BudgetWarning, Region } from "@gatewarden/contract/internal"
import { Effect, Redacted } from "effect"
import type { AskHost } from "../access/HostCaller.ts"
import type { SendMail } from "../alert/SendMail.ts"
import type { JobReport } from "../background/JobReport.ts"
import type { Enforcement } from "../decision/Enforcement.ts"
import type { PresidioOptions } from "../filter/PresidioOptions.ts"
import type { HostLog } from "../hosting/LogEntry.ts"
import type { OpenTelemetry } from "../hosting/OpenTelemetry.ts"
import type { WireProfile } from "../http/wireProfile.ts"
import { Entropy } from "../platform/Entropy.ts"
import type { Fetch } from "../platform/Fetch.ts"
import type { Store } from "../ports/StoreHandle.ts"
import type { RetentionSettings } from "../ports/retention.ts"
import type { StorageLimits } from "../ports/storageQuotas.ts"
import { newKeyring, parseKeyring } from "../vault/Keyring.ts"
import { checkOptions } from "./checkOptions.ts"
import { openInstance } from "./openInstance.ts"

/** What an instance is made of. Only `store` is required, and `keyring` with every store that remembers. */
export interface GatewardenOptions {
  /** Where everything is kept: `postgres({ url })`, `fromPool(pool)`, `pglite()` or `memory()`. */
  readonly store: Store
  /** What the runtime brings, such as `nodePlatform()`. Default: WebCrypto, and content filters on this thread. */
  readonly platform?: Platform
  /** Keys that secrets are encrypted with: `<id>:<base64 of 32 bytes>[,…]`; the first encrypts, all decrypt. Required by every store but `memory()`. */
  readonly keyring?: string | undefined
  /** A management key for the default account, 32 to 256 visible ASCII characters; created if absent. */
  readonly managementKey?: string | undefined
  /**
   * Maps a request to a user of the host, before any key is read. It must leave the body unread. `undefined`: the key of the request
   * decides; `refuse`: 401; a rejection: 500. With cookies the host must prevent cross-site requests itself.
   */
  readonly authenticate?: AskHost
  /**
   * What requests to addresses that clients name go through: destinations, issuers of tokens, providers of files. It follows no redirect
   * where `redirect` is `manual`, and must not reach what only this host may. Default: that of the platform. `nodePlatform()` checks
   * each address that a name resolves to; a runtime with `fetch` alone refuses private addresses only where a URL writes them.
   */
  readonly fetch?: Fetch
  /** Receives log entries of level `info` and above. Default: the console receives warnings and errors. */
  readonly logger?: HostLog
  /**
   * An analyzer of Presidio, which finds names of persons and addresses. Without one, or while it does not answer, a request is refused
   * where a guardrail blocks or redacts these.
   */
  readonly presidio?: PresidioOptions
  /**
   * Sends alerts to channels of the type `email`, such as `smtpTransport({ url, from })` of `@gatewarden/node`. Without it there are none.
   * Recipients confirm behind a link below `publicUrl`, which it therefore needs.
   */
  readonly mail?: SendMail
  /** The module `@opentelemetry/api` of the host: every operation and statement becomes a span below the host's active span. */
  readonly openTelemetry?: OpenTelemetry
  /** Called for every budget warning that this process records: at 80 % and 95 % of a limit, and on denial, once for each window and limit. */
  readonly onBudgetWarning?: (warning: BudgetWarning) => void
  /** The path below which the operations live: `/`, or segments without a slash at the end. Default `/api/v1`. A host may strip it. */
  readonly basePath?: string
  /**
   * What the `doc_url` of errors begins with, where the host explains their reasons itself: an absolute http or https URL that ends with `/`,
   * `#` or `=`; the reason follows. Default: the instance serves a page on each reason below its base path, and `doc_url` leads there.
   */
  readonly docUrl?: string | undefined
  /**
   * The address by which clients know the base path, without a slash at its end: `https://gateway.example.com/api/v1`. Default: the
   * origin of each request with `basePath`. Set it where a proxy or a mount changes the address: the metadata for OAuth clients repeats it, and the
   * authorization page accepts forms of its origin alone. Links in mails have no default, because a client can choose the origin of a request.
   */
  readonly publicUrl?: string | undefined
  /**
   * `false`: the instance does not serve `/auth`, the page on which a user lets an app have a key. A user of `authenticate` is asked for consent
   * alone, everybody else for a management key, too. Default `true`.
   */
  readonly authPage?: boolean
  /**
   * The form of responses where the published description and the public client differ: `spec`, `openrouter`, or `auto` (default): by the
   * client's User-Agent. See [wire profiles](../rules/requests.md#wire-profiles).
   */
  readonly wire?: WireProfile | "auto"
  /** Milliseconds after which an analytics query is cancelled with 408, 1 to 3,600,000. Default 30,000. */
  readonly analyticsTimeoutMillis?: number
  /** How much accounts and workspaces may store, by quota; a quota that is not named has its [default](limits.md#storage). */
  readonly storage?: Partial<StorageLimits>
  /**
   * `true`: the instance does background work until it is closed: it delivers usage, sends alerts, releases expired holds, deletes rows that
   * have expired and sums days for rankings. `false`: the host calls `runBackground()`. Instances on one store share the work. Default `false`; in
   * `createGatewarden` of `@gatewarden/node`, `true`.
   */
  readonly background?: boolean
  /** Seconds for which rows are kept once they are not needed, by table; what is not named has its [default](variables.md). */
  readonly retention?: Partial<RetentionSettings>
  /** The ingress region of every request, or one by host name: [ingress regions](../rules/requests.md#ingress-regions). */
  readonly region?:
    | Region
    | { readonly hosts: Readonly<Record<string, Region>>; readonly trustProxy?: boolean | number }
}

/** An account that `createAccount` made. */
export interface NewAccount {
  /** The account's id. */
  readonly id: string
  /** The account's name. */
  readonly name: string
  /** The id of its default workspace. */
  readonly workspaceId: string
  /** Store it: it is not shown again. */
  readonly managementKey: string
}

/** An instance: answers requests, and decides in process, until it is closed. */
export interface Gatewarden extends Enforcement {
  /**
   * Answers an HTTP request. A host passes every request below the mount; adapters such as `toNodeHandler` call it.
   *
   * @param request with the base path, or without it where the host has stripped it
   * @returns the response, an error in the envelope of the API included
   * @throws TypeError for what is no `Request`; nothing that a client sends makes it reject
   * @example
   * const server = { fetch: (request: Request) => gatewarden.fetch(request) }
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The path below which the operations live, such as `/api/v1`; adapters find a mount by it. */
  readonly basePath: string
  /** The management key that was generated because the store had no account yet; `undefined` at every later start. Store it: it is not shown again. */
  readonly generatedKey: string | undefined
  /**
   * Makes an account with a default workspace and a management key.
   *
   * @param name 1 to 100 characters, unique in the installation
   * @returns the account and its management key, which is not shown again; `undefined` when the name is taken
   * @throws TypeError for a name of another length, or with U+0000
   * @example
   * const account = await gatewarden.createAccount("acme")
   */
  readonly createAccount: (name: string) => Promise<NewAccount | undefined>
  /**
   * Suspends an account: Gatewarden refuses every key of it with 401 `account_suspended`, in this process at once and in others within
   * two seconds, until the account is resumed. Nothing is deleted.
   *
   * @param name the account's name
   * @returns `false` when there is no such account
   * @throws TypeError for `default`, which operates the installation
   * @example
   * await gatewarden.suspendAccount("acme")
   */
  readonly suspendAccount: (name: string) => Promise<boolean>
  /**
   * Resumes a suspended account: its keys are accepted again, in this process at once and in others within two seconds.
   *
   * @param name the account's name
   * @returns `false` when there is no such account
   * @throws TypeError for `default`, which is never suspended
   * @example
   * await gatewarden.resumeAccount("acme")
   */
  readonly resumeAccount: (name: string) => Promise<boolean>
  /**
   * Does the background work that is due, each job at most once, for hosts that switched `background` off: a scheduled event of a Worker, a
   * cron job, a test. A job that another process holds is left to that process.
   *
   * @returns a report on each job that ran
   * @throws nothing for a job that fails: its `outcome` is `failed`, and it is due again later
   * @example
   * const worker = { scheduled: () => gatewarden.runBackground() }
   */
  readonly runBackground: () => Promise<readonly JobReport[]>
  /**
   * Closes the instance and its store. Requests in flight may end first, for at most ten seconds; later requests are refused with 503
   * `draining`. A second call waits for the first.
   *
   * @returns when everything is released
   * @throws nothing
   * @example
   * process.once("SIGTERM", () => gatewarden.close())
   */
  readonly close: () => Promise<void>
}

/** Only a store that forgets everything may have a keyring that nobody keeps. */
const keyringText = (options: GatewardenOptions, random: (size: number) => Uint8Array): string => {
  if (options.keyring !== undefined) return options.keyring
  if (options.store.name === "memory") return Redacted.value(newKeyring("memory", random))
  throw new TypeError("createGatewarden: keyring is required with this store")
}

/**
 * Makes an instance: opens the store, brings its schema up to date, and creates the default account and its management key where there are
 * none. On Node use `createGatewarden` of `@gatewarden/node`, which takes the same options.
 *
 * @param options see [GatewardenOptions](#gatewardenoptions)
 * @returns the instance, ready for requests
 * @throws TypeError that names each invalid option, before anything is opened; otherwise what the store fails with. Nothing stays open then,
 * and the call may be repeated.
 * @example
 * const gatewarden = await createGatewarden({ store: memory() })
 * const response = await gatewarden.fetch(request)
 */
export const createGatewarden = async (options: GatewardenOptions): Promise<Gatewarden> => {
  checkOptions(options)
  const parsed = parseKeyring(
    keyringText(options, await Effect.runPromise(Effect.map(Entropy, (entropy) => entropy.bytes)))
  )
  if ("problem" in parsed) throw new TypeError(`createGatewarden: keyring is not usable: ${parsed.problem}`)
  return (await openInstance(options, parsed.keyring)).gatewarden
}

/** A platform as an opaque value, created by a platform package. */
declare const platformBrand: unique symbol

/** Faster implementations of a runtime: synchronous digests, native engines, threads. Opened with each instance. */
export interface Platform {
  /** Such as `node`. */
  readonly name: string
  readonly [platformBrand]: true
}
