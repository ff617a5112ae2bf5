/**
 * Gives each call of a port the account that it is for, so that the database can hold its statements to the rows of that account.
 *
 * What runs for all accounts is named here and nowhere else: `acrossAccounts`. Docs: docs/decisions/0011-row-level-security.md
 */
import type { StorePorts } from "@gatewarden/core/store"
import { Context, Effect } from "effect"
import { TenantScope } from "../connection/tenantSessions.ts"

/** Methods whose statements see the rows of every account, by port: all of them, or those named. */
export const acrossAccounts: Readonly<Record<string, "all" | readonly string[]>> = {
  // The installation: who the accounts are, what the operator runs, and what is public.
  Accounts: "all",
  BackgroundJobs: "all",
  ChangeLog: "all",
  DatasetsReader: "all",
  Processes: "all",
  RankingsReader: "all",
  RequestCounts: "all",
  Retention: "all",
  SealedSecrets: "all",
  StoreHealth: "all",
  ModelCatalog: ["upsert"],
  AuditLog: ["seal", "sign", "unsigned"],
  SyncJobs: ["advance"],
  Erasures: ["due"],
  // Ids and hashes that nobody can guess name what is sought, before anyone knows the account.
  // A secret that any account has or had is nobody else's.
  ApiKeys: ["authenticate", "insert"],
  AuthorizationCodes: ["find", "spend", "burn"],
  MailRecipients: ["confirm"],
  FederationPolicies: ["named"],
  FileContents: "all",
  Files: ["forget", "takeStale"],
  // The ledger, usage and deliveries, whose batches are of several accounts or are as quick as the database.
  BudgetLedger: ["hold", "renew", "settle", "heldUnder", "release"],
  KeyRateCounts: "all",
  UsageLog: ["record", "recordAll", "outgoing", "forgetOutgoing", "forward"],
  Alerts: ["detect", "claim"],
  DeliveryQueue: ["notice", "claim", "read", "acknowledge", "release", "backlog"]
}

type Method = (...args: readonly unknown[]) => unknown

/** The account of a call: its first argument, or a field of it. Neither is for all accounts, where a port takes that: its types say so. */
const accountOf = (name: string, first: unknown): string | undefined => {
  const account = typeof first === "object" && first !== null ? (first as { account_id?: unknown }).account_id : first
  if (account === null || account === undefined || typeof account === "string") return account ?? undefined
  throw new TypeError(`${name} takes no account, and is not listed among what runs for all accounts`)
}

const scoped = (port: string, service: object, across: readonly string[]): object =>
  new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof name === "symbol" || across.includes(name)) return member
      if (typeof member !== "function") throw new TypeError(`${port}.${name} takes no account`)
      return (...args: readonly unknown[]) => {
        const account = accountOf(`${port}.${name}`, args[0])
        const answer = (member as Method)(...args)
        if (!Effect.isEffect(answer)) throw new TypeError(`${port}.${name} is no effect`)
        return account === undefined ? answer : Effect.provideService(answer, TenantScope, account)
      }
    }
  })

/** The ports of a store, each of whose calls is held to its account. */
export const scopePorts = (ports: Context.Context<StorePorts>): Context.Context<StorePorts> => {
  const wrapped = new Map<string, unknown>()
  for (const [key, service] of ports.mapUnsafe) {
    const port = key.replace(/^gatewarden\//, "")
    const across = acrossAccounts[port] ?? []
    wrapped.set(key, across === "all" || port === key ? service : scoped(port, service as object, across))
  }
  return Context.makeUnsafe(wrapped)
}
