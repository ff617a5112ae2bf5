/**
 * The Promise door's one constructor: an instance as a value, over a store, a keyring and settings.
 *
 * Source: docs/embedding.md. A start that fails rejects and may be tried again; two instances share nothing.
 */
import type { BudgetWarning, Region } from "@gatewarden/contract"
import { Effect, Redacted } from "effect"
import type { PresidioOptions } from "./filter/PresidioOptions.ts"
import type { Enforcement } from "./decision/Enforcement.ts"
import { checkOptions } from "./hosting/checkOptions.ts"
import { type AskHost } from "./hosting/HostCaller.ts"
import type { HostLog } from "./hosting/LogEntry.ts"
import type { OpenTelemetry } from "./hosting/OpenTelemetry.ts"
import type { WireProfile } from "./http/wireProfile.ts"
import { type StorageLimits } from "./limits/storageQuotas.ts"
import type { RetentionSettings } from "./stream/retained.ts"
import type { JobReport } from "./stream/JobReport.ts"
import { Entropy } from "./platform/Entropy.ts"
import type { Platform } from "./Platform.ts"
import type { Store } from "./StoreHandle.ts"
import { newKeyring, parseKeyring } from "./vault/Keyring.ts"
import { openInstance } from "./openInstance.ts"

/** What an instance is made of. Only `store` is required, and `keyring` with every store that remembers. */
export interface GatewardenOptions {
  readonly store: Store
  /** What the runtime brings. `createGatewarden` of `@gatewarden/node` gives Node's; without, WebCrypto and this thread do all. */
  readonly platform?: Platform
  /** `<id>:<base64 of 32 bytes>[,…]`, the first encrypts. Required by every store but the in-memory one. */
  readonly keyring?: string | undefined
  /** A management key for the default account, 32 to 256 visible ASCII characters; created if absent. */
  readonly managementKey?: string | undefined
  /**
   * Maps a request to a user of the host. It is asked first, for every request that needs a caller, and gets the request
   * that `fetch` was given, whose body it must leave unread. `undefined`: a key of ours decides, as without this option;
   * `refuse`: 401. A rejection is 500, logged by name. With cookies the host must fend off cross-site requests itself.
   */
  readonly authenticate?: AskHost
  /** Gets what is logged from `info` on, in place of the console, which gets warnings and errors alone. */
  readonly logger?: HostLog
  /**
   * An analyzer of Presidio, which finds names of persons and addresses. Without one, or while it does not answer, guardrails that
   * block or redact these refuse the request.
   */
  readonly presidio?: PresidioOptions
  /** The module `@opentelemetry/api` of the host: spans of every operation and statement, below the host's active span. */
  readonly openTelemetry?: OpenTelemetry
  /** Told of every budget warning that this process records: at 80 % and 95 % of a limit, and on denial, once a window. */
  readonly onBudgetWarning?: (warning: BudgetWarning) => void
  /** Where the operations live, `/` or segments without a slash at the end; default `/api/v1`. A host may have stripped it. */
  readonly basePath?: string
  /**
   * What the `doc_url` of errors begins with, where the host explains their reasons itself: an absolute http or https URL that ends with `/`,
   * `#` or `=`; the reason follows. Default: the instance serves a page on each reason below its base path, and `doc_url` leads there.
   */
  readonly docUrl?: string | undefined
  /**
   * What answers look like where the published description and the public client differ: `spec`, `openrouter`, or by the client's
   * User-Agent (`auto`, the default).
   */
  readonly wire?: WireProfile | "auto"
  /** Milliseconds after which an analytics query is given up with 408, 1 to 3,600,000; default 30,000. */
  readonly analyticsTimeoutMillis?: number
  /** How much accounts and workspaces may store, by quota; what is not named has its default (`docs/operating.md`). */
  readonly storage?: Partial<StorageLimits>
  /**
   * `true`: the instance does background work by itself, until it is closed: it gives expired holds back, deletes what is no longer
   * needed and sums days for rankings. `false`: the host calls `runBackground()`. Any number of instances on one store share the work.
   * Default `false`; `createGatewarden` of `@gatewarden/node` starts it.
   */
  readonly background?: boolean
  /** Seconds for which rows are kept after they count no longer; what is not named has its default (`docs/operating.md`). */
  readonly retention?: Partial<RetentionSettings>
  /** The ingress region of every request, or a region by host name. */
  readonly region?:
    | Region
    | { readonly hosts: Readonly<Record<string, Region>>; readonly trustProxy?: boolean | number }
}

/** An account that was made. Its key is shown this once. */
export interface NewAccount {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
  readonly managementKey: string
}

/** An instance, until it is closed. */
export interface Gatewarden extends Enforcement {
  /** Answers a request; rejects for nothing that a client can send. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Where the operations live; adapters find a mount by it. */
  readonly basePath: string
  /** The management key that was generated because the store had no account yet; shown this once. */
  readonly generatedKey: string | undefined
  /** Makes an account with a default workspace and a management key; `undefined` when the name is taken. 1 to 100 characters. */
  readonly createAccount: (name: string) => Promise<NewAccount | undefined>
  /**
   * Refuses every key of the account with 401 `account_suspended`, here at once and on other processes within two seconds, until it is
   * resumed. Deletes nothing. `false` when there is no such account; rejects for `default`, which operates the installation.
   */
  readonly suspendAccount: (name: string) => Promise<boolean>
  /** Lets the keys of a suspended account in again. `false` when there is no such account. */
  readonly resumeAccount: (name: string) => Promise<boolean>
  /**
   * Does the background work that is due, each job at most once, and reports on the jobs that it ran. A job that another process
   * holds is left to that one. For hosts that switched `background` off: a scheduled event of a Worker, a cron job, a test.
   *
   * @example
   * export default { scheduled: () => gatewarden.runBackground() }
   */
  readonly runBackground: () => Promise<readonly JobReport[]>
  /**
   * Releases the store and everything else that the instance holds. What is being answered may end first, for at most ten seconds;
   * whatever comes later is refused with 503 `draining`.
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
 * Makes an instance: opens the store, brings its schema up to date, and sees to the default account and its management key.
 *
 * Rejects with a `TypeError` that names the options which are not what they should be, before anything is opened, and with the
 * store's own failure where it cannot be opened; nothing stays open then.
 *
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
