/**
 * The rows that the in-memory ports share, as plain maps. One value is one store.
 *
 * The in-memory store is the executable reference that property tests hold the SQL stores to: every method writes in one
 * synchronous step, so it is atomic by construction. Only usage events of one import become visible one after the other.
 */
import type {
  BudgetInterval,
  ByokCredential,
  CreditGrant,
  FederationPolicy,
  GenerationFeedback,
  Guardrail,
  KeyRateLimits,
  Noun,
  OrganizationSettings,
  Preset,
  PresetVersion,
  PrivateProvider
} from "@gatewarden/contract/internal"
import { type Account, defaultAccountName } from "../../ports/accounts.ts"
import type { ApiKey, AuthenticatedKey } from "../../ports/keys.ts"
import type { Change } from "../../ports/changeLog.ts"
import type { KeptGrant } from "../../ports/authorizationCodes.ts"
import type { StoredExternalUser } from "../../ports/externalUsers.ts"
import type { StoredPrivateEndpoint } from "../../ports/privateEndpoints.ts"
import type { FileFacts } from "../../ports/files.ts"
import type { WorkspaceLimit } from "../../ports/policySources.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../../ports/idempotency.ts"
import type { DirectoryGroup, DirectoryUser, GroupMapping, SyncJob } from "../../ports/directory.ts"
import type { AdjustedNumbers, UsageEvent } from "../../ports/usage.ts"
import type { Page, PageRequest } from "../../value/Page.ts"
import type { Sweeps } from "./sweeps.ts"
import { DeletedKeyTable } from "./DeletedKeyTable.ts"
import { KeySecretTable } from "./KeySecretTable.ts"
import type { StoredAmount } from "../../ports/limits.ts"
import type { DeadLetter, LoggedAttempt } from "../../ports/deliveries.ts"
import type { StoredAlertChannel } from "../../ports/alerts.ts"
import type { BudgetWarning } from "../../ports/ledger.ts"
import type { RecipientRow } from "./recipientRows.ts"
import type { AlertRow } from "./raiseAlert.ts"
import type { DeliveryRow } from "./deliveryRows.ts"
import { DeliveryStream } from "./DeliveryStream.ts"
import type { StoredDestination } from "../../ports/destinations.ts"
import type { StoredWorkspace } from "../../ports/workspaces.ts"
import type { ErasureRow } from "./erasureRows.ts"
import { LoggedMap } from "./LoggedMap.ts"
import { ModelTable } from "./ModelTable.ts"
import { type AuditChain, RecordedChanges } from "./RecordedChanges.ts"
import type { Amounts } from "../../ledger/judgeHolds.ts"
import { type Entities, nothing, WindowSums } from "./WindowSums.ts"

/** Where the membership of a user in a workspace is. */
export const membershipPlace = (workspace_id: string, user_id: string): string => `${workspace_id} ${user_id}`

/** Where what belongs to an event is. */
export const eventPlace = (account_id: string, id: string): string => `${account_id} ${id}`

/** Bodies of a request that its workspace keeps. */
export interface KeptBodies {
  readonly account_id: string
  readonly workspace_id: string
  readonly event_id: string
  /** Epoch milliseconds. */
  readonly recorded_at: number
  readonly sealed_bodies: Uint8Array
}

/** Kept bodies by account and event: `eventPlace`. Their amount is counted as they come and go, so that a quota adds up no rows. */
class KeptBodiesTable extends Map<string, KeptBodies> {
  readonly #amounts = new Map<string, StoredAmount>()

  amountOf(account_id: string): StoredAmount {
    return this.#amounts.get(account_id) ?? { rows: 0, bytes: 0 }
  }

  #count({ account_id, sealed_bodies }: KeptBodies, sign: 1 | -1): void {
    const { rows, bytes } = this.amountOf(account_id)
    this.#amounts.set(account_id, { rows: rows + sign, bytes: bytes + sign * sealed_bodies.length })
  }

  override set(place: string, row: KeptBodies): this {
    const before = this.get(place)
    if (before !== undefined) this.#count(before, -1)
    this.#count(row, 1)
    return super.set(place, row)
  }

  override delete(place: string): boolean {
    const row = this.get(place)
    if (row !== undefined) this.#count(row, -1)
    return super.delete(place)
  }
}

/** A row with the account that owns it. */
export type Owned<T> = T & { readonly account_id: string }

export const makeTables = () => {
  const changes = new RecordedChanges()
  const change = (noun: Noun, account_id: string | null, id: string, workspace_id: string | null): Change => ({
    account_id,
    noun,
    id,
    workspace_id
  })
  const apiKeys = new LoggedMap<ApiKey>(changes, (row, hash) => ({
    change: change("key", row.account_id, hash, row.workspace_id),
    facts: { ...row }
  }))
  const ofKey = <V extends object>(noun: Noun) =>
    new LoggedMap<V>(changes, (row, hash) => ({
      change: change(noun, apiKeys.get(hash)?.account_id ?? null, hash, null),
      facts: { ...row, key_hash: hash }
    }))
  const ofWorkspace = <V extends Owned<{ readonly workspace_id: string }>>(noun: Noun, idOf: (row: V) => string) =>
    new LoggedMap<V>(changes, (row) => ({
      change: change(noun, row.account_id, idOf(row), row.workspace_id),
      facts: { ...row }
    }))
  const workspaces = new LoggedMap<Owned<StoredWorkspace>>(changes, (row) => ({
    change: change("workspace", row.account_id, row.id, row.id),
    facts: { ...row }
  }))
  const accountOf = (workspace_id: string): string | null => workspaces.get(workspace_id)?.account_id ?? null

  const sweeps: Sweeps = new Map()

  return {
    changes,
    /** What forgets rows that nobody needs, by what they are. */
    sweeps,
    /** By account. */
    auditChains: new Map<string, AuditChain>(),
    accounts: new LoggedMap<Account & { readonly default_workspace_id: string }>(changes, (row) => ({
      change: change("account", row.id, row.id, null),
      facts: { ...row }
    })),
    /** By account. */
    organizationSettings: new LoggedMap<OrganizationSettings>(changes, (row) => ({
      change: change("organization_settings", row.id, row.id, null),
      facts: { ...row }
    })),
    /** By name, which no two accounts share and none changes. */
    accountIds: new Map<string, string>(),
    apiKeys,
    /** By id; those of an account in the order in which they were made. */
    creditGrants: new LoggedMap<Owned<CreditGrant>>(changes, (row) => ({
      change: change("credit_grant", row.account_id, row.id, null),
      facts: { ...row }
    })),
    keySecrets: new KeySecretTable(sweeps),
    deletedKeys: new DeletedKeyTable(sweeps),
    workspaces,
    guardrails: ofWorkspace<Owned<Guardrail>>("guardrail", ({ id }) => id),
    byokCredentials: ofWorkspace<Owned<ByokCredential> & { readonly sealed_key: Uint8Array }>(
      "byok_credential",
      ({ id }) => id
    ),
    /** The config as it is shown, and as it was given, encrypted. */
    destinations: new LoggedMap<Owned<StoredDestination> & { readonly replays: number }>(
      changes,
      ({ account_id, destination, replays }) => ({
        change: change("destination", account_id, destination.id, destination.workspace_id),
        facts: { ...destination, replays }
      })
    ),
    /** The config as it is shown, and as it was given, encrypted. */
    alertChannels: new LoggedMap<Owned<StoredAlertChannel>>(changes, ({ account_id, channel }) => ({
      change: change("alert_channel", account_id, channel.id, channel.workspace_id),
      facts: { ...channel }
    })),
    /** By account and address. */
    mailRecipients: new Map<string, RecipientRow>(),
    /** By account, budget, window, kind and limit. */
    budgetWarnings: new Map<string, Owned<BudgetWarning>>(),
    /** By account, kind, subject and crossing. */
    alerts: new Map<string, AlertRow>(),
    federationPolicies: ofWorkspace<Owned<FederationPolicy>>("federation_policy", ({ id }) => id),
    directoryUsers: new LoggedMap<Owned<DirectoryUser>>(changes, ({ attributes: _, ...row }) => ({
      change: change("directory_user", row.account_id, row.id, null),
      facts: { ...row }
    })),
    directoryGroups: new LoggedMap<Owned<DirectoryGroup>>(changes, (row) => ({
      change: change("directory_group", row.account_id, row.id, null),
      facts: { ...row }
    })),
    /** By group, the users in it. */
    groupMembers: new Map<string, ReadonlySet<string>>(),
    /** By account. */
    syncJobs: new Map<string, Owned<SyncJob> & { readonly after: string }>(),
    groupMappings: new LoggedMap<Owned<GroupMapping>>(changes, (row) => ({
      change: change("group_mapping", row.account_id, row.id, row.workspace_id),
      facts: { ...row }
    })),
    /** By code hash. */
    codeGrants: new LoggedMap<Omit<KeptGrant, "found_at">>(changes, (row) => ({
      change: change("authorization_code", row.account_id, row.code_hash, row.workspace_id),
      facts: { ...row }
    })),
    /** By account, then by callback origin. */
    apps: new Map<string, Map<string, number>>(),
    /** By workspace and slug. */
    presets: new LoggedMap<{ readonly preset: Preset; readonly versions: PresetVersion[] }>(changes, ({ preset }) => ({
      change: change("preset", accountOf(preset.workspace_id), preset.slug, preset.workspace_id),
      facts: { ...preset, version: preset.designated_version.version }
    })),
    files: new LoggedMap<KeptFile>(changes, (row) =>
      row.state === "stored"
        ? {
            change: change("file", accountOf(row.workspace_id), row.facts.id, row.workspace_id),
            facts: { ...row.facts }
          }
        : undefined
    ),
    /** By file. */
    fileContents: new Map<string, Uint8Array>(),
    /** By account, caller and request. */
    idempotencyRecords: new Map<
      string,
      {
        readonly scope: IdempotencyScope
        readonly token: string
        readonly until: number
        readonly answer: IdempotencyAnswer | undefined
      }
    >(),
    /** Of the installation, and of accounts' own. */
    models: new ModelTable((owner, models) =>
      changes.record(change("catalog", owner, "", null), undefined, { models })
    ),
    /** By id. */
    externalUsers: new LoggedMap<Owned<StoredExternalUser>>(changes, (row) => ({
      change: change("external_user", row.account_id, row.id, null),
      facts: { ...row }
    })),
    /** By account and slug. */
    privateProviders: new LoggedMap<Owned<PrivateProvider>>(changes, (row) => ({
      change: change("private_provider", row.account_id, row.slug, null),
      facts: { ...row }
    })),
    /** By id. */
    privateEndpoints: new LoggedMap<Owned<StoredPrivateEndpoint>>(changes, (row) => ({
      change: change("private_endpoint", row.account_id, row.id, null),
      facts: { ...row }
    })),
    /** By id. */
    erasures: new Map<string, ErasureRow>(),
    /** What the ledger keeps of users and keys, which it tells here. */
    ledgerOfSpenders: { openHolds: () => 0, rename: () => 0, heldByKey: () => nothing } as LedgerOfSpenders,
    /** Events by account, then by id, in the order in which they were recorded. */
    usageEvents: new Map<string, Map<string, UsageEvent>>(),
    /** Of requests, by account and event: `eventPlace`. */
    adjustments: new Map<string, readonly AdjustedNumbers[]>(),
    /** When events were charged that were not charged at their own time, in epoch milliseconds, by account and event: `eventPlace`. */
    chargedElsewhere: new Map<string, number>(),
    /** Ids of events that retention dropped, by account, with the instants of the events. */
    droppedUsage: new Map<string, Map<string, number>>(),
    /** Events before this instant were dropped, and are recorded no more. */
    usageHorizon: { begins_at: -Infinity },
    /** By position: what waits for a store of usage beside this one, if there is one. */
    outgoingEvents: {
      last: 0,
      waiting: undefined as Map<number, { readonly account_id: string; readonly id: string }> | undefined
    },
    /** Selected events that wait for destinations. */
    deliveries: new DeliveryStream(),
    /** By destination. */
    deliveryRows: new Map<string, DeliveryRow>(),
    /** By destination and event. */
    deadLetters: new Map<string, DeadLetter>(),
    /** By destination, the oldest first. */
    deliveryAttempts: new Map<string, readonly LoggedAttempt[]>(),
    generationContents: new KeptBodiesTable(),
    /** By account and event: `eventPlace`. */
    generationFeedback: new Map<string, GenerationFeedback>(),
    /** What the recorded events come to, by window: `recordEvent`. */
    spent: new WindowSums(),
    /** What the events of an account cost, in nano-dollars. */
    spentByAccount: new Map<string, bigint>(),
    /** What the events of a key come to, by account and key, then by UTC day of `created_at`. */
    keyDays: new Map<string, Map<string, Amounts>>(),
    /** By key hash. */
    guardrailOfKey: ofKey<GuardrailAssignment>("key_assignment"),
    /** By account and user: `memberPlace`. */
    guardrailOfMember: new LoggedMap<Owned<GuardrailAssignment & { readonly user_id: string }>>(changes, (row) => ({
      change: change("member_assignment", row.account_id, row.user_id, null),
      facts: { ...row }
    })),
    /** By workspace and user. */
    workspaceMembers: ofWorkspace<Owned<WorkspaceMember>>("workspace_member", ({ user_id }) => user_id),
    /** By workspace and interval. */
    workspaceBudgets: ofWorkspace<Owned<WorkspaceBudgetRow>>("workspace_budget", ({ interval }) => interval),
    /** By key hash. */
    keyRateLimits: ofKey<KeyRateLimits>("key_rate_limits")
  }
}

export interface LedgerOfSpenders {
  /** Of those whom it is asked about, at an instant in epoch milliseconds: who spends, and whose budget applies. */
  openHolds: (
    account_id: string,
    isCounted: (entities: Entities, member: string | undefined) => boolean,
    now: number
  ) => number
  /** Renames a user who has no open hold; answers in how many warnings. */
  rename: (account_id: string, from: string, to: string) => number
  /** What is held for a key in the window of an interval that has an instant, in epoch milliseconds. */
  heldByKey: (account_id: string, key_hash: string, interval: BudgetInterval, now: number) => Amounts
}

interface KeptFile {
  readonly facts: FileFacts
  readonly workspace_id: string
  readonly state: "arriving" | "stored" | "leaving"
  /** No change of what the log shows. */
  changed_at: string
}

/** Whose log a change is in: the operator's, for the installation's catalog. */
export const auditOwner = (tables: Tables, { account_id }: Change): string =>
  account_id ?? tables.accountIds.get(defaultAccountName) ?? ""

export interface GuardrailAssignment {
  readonly id: string
  readonly guardrail_id: string
  readonly assigned_by: string | null
  readonly created_at: string
}

interface WorkspaceMember {
  readonly id: string
  readonly workspace_id: string
  readonly user_id: string
  readonly role: "admin" | "member"
  readonly created_at: string
  /** Whether a directory gives the membership, rather than whoever added it. */
  readonly by_directory: boolean
}

interface WorkspaceBudgetRow extends WorkspaceLimit {
  readonly workspace_id: string
  readonly include_byok: boolean
  readonly created_at: string
  readonly updated_at: string
}

/** Deletes a key with everything that hangs on it. */
export const deleteKey = (tables: Tables, hash: string): boolean => {
  tables.guardrailOfKey.delete(hash)
  tables.keyRateLimits.delete(hash)
  const key = tables.apiKeys.get(hash)
  if (key === undefined) return false
  tables.apiKeys.delete(hash)
  const { account_id, user_id, external_user } = key
  for (const secret of tables.keySecrets.latestOf(hash, 0))
    tables.deletedKeys.note({ hash: secret.hash, account_id, user_id: null, external_user: null })
  tables.deletedKeys.note({ hash, account_id, user_id, external_user })
  tables.keySecrets.deleteKey(hash)
  return true
}

/** Deletes a guardrail with its assignments. */
export const deleteGuardrail = (tables: Tables, id: string): boolean => {
  for (const assignments of [tables.guardrailOfKey, tables.guardrailOfMember] as const)
    for (const [place, { guardrail_id }] of assignments) if (guardrail_id === id) assignments.delete(place)
  return tables.guardrails.delete(id)
}

/** A user belongs to an account. */
export const memberPlace = (account_id: string, user_id: string): string => `${account_id} ${user_id}`

/** A provider is of an account. */
export const providerPlace = (account_id: string, slug: string): string => `${account_id} ${slug}`

/** A workspace has at most one budget for each interval. */
export const budgetPlace = (workspace_id: string, interval: string): string => `${workspace_id} ${interval}`

export type Tables = ReturnType<typeof makeTables>

/** Whether the account is the operator's. */
const isOperator = (tables: Tables, account_id: string): boolean =>
  tables.accounts.get(account_id)?.name === defaultAccountName

/** The workspace, if it lives in the account. */
export const ownWorkspace = (tables: Tables, account_id: string, id: string): StoredWorkspace | undefined => {
  const workspace = tables.workspaces.get(id)
  return workspace?.account_id === account_id ? workspace : undefined
}

/** A row without the account that owns it. */
export const withoutOwner = <T>({ account_id: _, ...row }: Owned<T>): T => row as T

/** By `created_at`, then `id`: the order of every list (Rule: requests#lists). */
export const byCreation = (a: { readonly created_at: string; readonly id: string }, b: typeof a): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0

/** A key together with what authentication needs of its account. `now`: epoch milliseconds. */
export const authenticatedKey = (tables: Tables, key: ApiKey, now: number): AuthenticatedKey => {
  const account = tables.accounts.get(key.account_id)
  const workspace = account?.default_workspace_id ?? ""
  return {
    ...key,
    default_workspace_id: tables.workspaces.has(workspace) ? workspace : null,
    is_operator: isOperator(tables, key.account_id),
    is_suspended: account !== undefined && account.suspended_at !== null,
    secrets: tables.keySecrets.latestOf(key.hash, now)
  }
}

/** The page of rows in the order of every list, or in that of the few that have their own. */
export const pageOf = <T extends { readonly created_at: string; readonly id: string }>(
  rows: readonly T[],
  { limit, offset }: PageRequest,
  order: (a: T, b: T) => number = byCreation
): Page<T> => ({ data: [...rows].sort(order).slice(offset, offset + limit), total_count: rows.length })

/** Whether the directory says that the user may not act. Rule: scim#deprovisioning. */
export const isInactiveUser = (tables: Tables, account_id: string, user_id: string | null): boolean =>
  user_id !== null &&
  tables.directoryUsers.ofAccount(account_id).some((user) => user.user_id === user_id && !user.active)

/** The number of an account's app by its origin; new ones of an account are numbered one after the other. */
export const appNumber = ({ apps }: Tables, account_id: string, origin: string): number => {
  const known = apps.get(account_id) ?? new Map<string, number>()
  apps.set(account_id, known)
  const app_id = known.get(origin) ?? known.size + 1
  known.set(origin, app_id)
  return app_id
}
