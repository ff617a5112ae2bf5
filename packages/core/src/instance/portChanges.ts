/**
 * What a successful call of a port changes, for each method that writes configuration: the same `Change` that the store appends to the
 * stream, so that this process forgets exactly what the others will.
 *
 * A total map: a new method of these ports does not compile until it is listed. Cascades need no row of their own, since the entries that
 * stand on a deleted guardrail or workspace are found by its id.
 */
import type { Noun } from "@gatewarden/contract/internal"
import { type Effect, Option } from "effect"
import { isOversized } from "../ports/limits.ts"
import type { Accounts } from "../ports/accounts.ts"
import type { AlertChannels } from "../ports/alerts.ts"
import type { AuthorizationCodes } from "../ports/authorizationCodes.ts"
import type { ByokCredentials } from "../ports/byok.ts"
import type { Change } from "../ports/changeLog.ts"
import type { Credits } from "../ports/credits.ts"
import type { Destinations } from "../ports/destinations.ts"
import type { DirectoryGroups, DirectoryUsers, GroupMappings, Settled, SyncJobs } from "../ports/directory.ts"
import type { Erasures } from "../ports/erasures.ts"
import type { ExternalUsers } from "../ports/externalUsers.ts"
import type { FederationPolicies } from "../ports/federationPolicies.ts"
import type { Assignments, Guardrails } from "../ports/guardrails.ts"
import type { ApiKeys } from "../ports/keys.ts"
import type { ModelCatalog } from "../ports/models.ts"
import type { PolicySources } from "../ports/policySources.ts"
import type { Presets } from "../ports/presets.ts"
import type { PrivateEndpoints, PrivateProviders } from "../ports/privateEndpoints.ts"
import type { OrganizationSettings, WorkspaceBudgets, WorkspaceMembers, Workspaces } from "../ports/workspaces.ts"

/** `keeps`: the method reads, or writes nothing that a process caches. */
type Telling<M> = M extends (...args: infer Args) => Effect.Effect<infer A>
  ? "keeps" | ((answer: A, ...args: Args) => readonly Change[])
  : "keeps"

type Row<S> = { readonly [M in keyof S]: Telling<S[M]> }

const change = (noun: Noun, account_id: string | null, id: string, workspace_id: string | null = null): Change => ({
  account_id,
  noun,
  id,
  workspace_id
})
const none: readonly Change[] = []
const when = (isChanged: boolean, one: Change): readonly Change[] => (isChanged ? [one] : none)

/** Decisions stand on keys, not on who is in which group. */
const keysOf = (outcome: Settled | { readonly refused: unknown } | string, account_id: string): readonly Change[] =>
  typeof outcome === "string" || !("keys" in outcome)
    ? none
    : outcome.keys.map(({ hash, workspace_id }) => change("key", account_id, hash, workspace_id))

export const portChanges: {
  readonly Accounts: Row<typeof Accounts.Service>
  readonly AlertChannels: Row<typeof AlertChannels.Service>
  readonly ApiKeys: Row<typeof ApiKeys.Service>
  readonly Assignments: Row<typeof Assignments.Service>
  readonly AuthorizationCodes: Row<typeof AuthorizationCodes.Service>
  readonly ByokCredentials: Row<typeof ByokCredentials.Service>
  readonly Destinations: Row<typeof Destinations.Service>
  readonly Credits: Row<typeof Credits.Service>
  readonly FederationPolicies: Row<typeof FederationPolicies.Service>
  readonly DirectoryGroups: Row<typeof DirectoryGroups.Service>
  readonly DirectoryUsers: Row<typeof DirectoryUsers.Service>
  readonly Erasures: Row<typeof Erasures.Service>
  readonly GroupMappings: Row<typeof GroupMappings.Service>
  readonly Guardrails: Row<typeof Guardrails.Service>
  readonly ModelCatalog: Row<typeof ModelCatalog.Service>
  readonly ExternalUsers: Row<typeof ExternalUsers.Service>
  readonly OrganizationSettings: Row<typeof OrganizationSettings.Service>
  readonly PolicySources: Row<typeof PolicySources.Service>
  readonly Presets: Row<typeof Presets.Service>
  readonly PrivateEndpoints: Row<typeof PrivateEndpoints.Service>
  readonly PrivateProviders: Row<typeof PrivateProviders.Service>
  readonly SyncJobs: Row<typeof SyncJobs.Service>
  readonly WorkspaceBudgets: Row<typeof WorkspaceBudgets.Service>
  readonly WorkspaceMembers: Row<typeof WorkspaceMembers.Service>
  readonly Workspaces: Row<typeof Workspaces.Service>
} = {
  Accounts: {
    findByName: "keeps",
    defaultWorkspaces: "keeps",
    setSuspended: (answer) => (Option.isSome(answer) ? [change("account", answer.value.id, answer.value.id)] : none),
    list: "keeps",
    // Nothing is cached of an account before it exists.
    create: "keeps"
  },
  // Channels are read anew for each alert.
  AlertChannels: { insert: "keeps", find: "keeps", list: "keeps", update: "keeps", remove: "keeps" },
  ApiKeys: {
    authenticate: "keeps",
    // That there is no such key is cached by whoever asked for its decision.
    insert: (inserted, { account_id, hash, workspace_id }) =>
      when(inserted, change("key", account_id, hash, workspace_id)),
    list: "keeps",
    listManagement: "keeps",
    update: (answer, account_id, hash) =>
      when(Option.isSome(answer), change("key", account_id, hash, Option.getOrNull(answer)?.workspace_id ?? null)),
    retire: (outcome, account_id, hash) => when(outcome === "retired", change("key", account_id, hash)),
    rotate: (answer, account_id, hash) => when(Option.isSome(answer), change("key", account_id, hash)),
    remove: (removed, account_id, hash) => when(removed, change("key", account_id, hash))
  },
  Assignments: {
    assignKeys: (outcome, account_id, _, keys) =>
      outcome === "assigned" ? keys.map(({ name }) => change("key_assignment", account_id, name)) : none,
    unassignKeys: (outcome, account_id, _, hashes) =>
      outcome === "missing" ? none : hashes.map((hash) => change("key_assignment", account_id, hash)),
    listKeys: "keeps",
    assignMembers: (outcome, account_id, _, users) =>
      outcome === "assigned" ? users.map(({ name }) => change("member_assignment", account_id, name)) : none,
    unassignMembers: (outcome, account_id, _, users) =>
      outcome === "missing" ? none : users.map((user) => change("member_assignment", account_id, user)),
    listMembers: "keeps",
    appliesBeyond: "keeps",
    keysGovernedElsewhere: "keeps"
  },
  AuthorizationCodes: {
    insert: "keeps",
    find: "keeps",
    spend: (spent, _, { account_id, hash, workspace_id }) => when(spent, change("key", account_id, hash, workspace_id)),
    burn: "keeps"
  },
  ByokCredentials: {
    insert: (answer, account_id, { id, workspace_id }) =>
      when(Option.isSome(answer), change("byok_credential", account_id, id, workspace_id)),
    find: "keeps",
    update: (answer, account_id, id) =>
      typeof answer === "string" || isOversized(answer)
        ? none
        : [change("byok_credential", account_id, id, answer.workspace_id)],
    remove: (answer, account_id, id) =>
      Option.isSome(answer) ? [change("byok_credential", account_id, id, answer.value.workspace_id)] : none,
    list: "keeps",
    sealed: "keeps"
  },
  Credits: {
    // Nothing is cached of them.
    append: "keeps",
    totals: "keeps",
    list: "keeps"
  },
  FederationPolicies: {
    // Policies are read anew for each exchange.
    insert: "keeps",
    find: "keeps",
    named: "keeps",
    list: "keeps",
    update: "keeps",
    remove: "keeps",
    issue: (outcome, { account_id, hash, workspace_id }) =>
      when(outcome === "issued", change("key", account_id, hash, workspace_id))
  },
  Destinations: {
    insert: (outcome, account_id, { id, workspace_id }) =>
      when(outcome === "inserted", change("destination", account_id, id, workspace_id)),
    find: "keeps",
    list: "keeps",
    receiving: "keeps",
    update: (answer, account_id, id) =>
      typeof answer === "string" || isOversized(answer)
        ? none
        : [change("destination", account_id, id, answer.workspace_id)],
    noteReplay: (noted, account_id, id) => when(noted, change("destination", account_id, id)),
    remove: (removed, account_id, id) => when(removed, change("destination", account_id, id))
  },
  DirectoryGroups: {
    insert: keysOf,
    find: "keeps",
    list: "keeps",
    members: "keeps",
    groupsOf: "keeps",
    update: keysOf,
    remove: keysOf
  },
  DirectoryUsers: {
    insert: keysOf,
    find: "keeps",
    list: "keeps",
    update: keysOf,
    isInactive: "keeps",
    remove: keysOf
  },
  Erasures: {
    start: "keeps",
    find: "keeps",
    list: "keeps",
    due: "keeps",
    inTheWay: "keeps",
    walk: "keeps",
    advance: (changed) => changed
  },
  GroupMappings: {
    insert: keysOf,
    find: "keeps",
    list: "keeps",
    update: keysOf,
    remove: keysOf
  },
  Guardrails: {
    // Applies to nothing before it is assigned.
    insert: "keeps",
    find: "keeps",
    update: (answer, account_id, id) =>
      typeof answer === "string" || isOversized(answer)
        ? none
        : [change("guardrail", account_id, id, answer.workspace_id)],
    list: "keeps",
    remove: (outcome, account_id, id) => when(outcome === "removed", change("guardrail", account_id, id))
  },
  ModelCatalog: {
    upsert: () => [change("catalog", null, "")],
    upsertOwn: (written, account_id) => when(written, change("catalog", account_id, "")),
    named: "keeps",
    visible: "keeps",
    read: "keeps",
    resolve: "keeps",
    variantsNamed: "keeps",
    providersNamed: "keeps"
  },
  ExternalUsers: { insert: "keeps", find: "keeps", list: "keeps", update: "keeps" },
  OrganizationSettings: {
    of: "keeps",
    update: (_, account_id) => [change("organization_settings", account_id, account_id)]
  },
  PolicySources: {
    of: "keeps",
    formerOwner: "keeps",
    limitRates: (answer, account_id, hash) => when(Option.isSome(answer), change("key_rate_limits", account_id, hash))
  },
  Presets: {
    append: (answer, account_id, { workspace_id, slug }) =>
      when(Option.isSome(answer), change("preset", account_id, slug, workspace_id)),
    find: "keeps",
    findVersion: "keeps",
    designate: (answer, account_id, workspace_id, slug) =>
      when(Option.isSome(answer), change("preset", account_id, slug, workspace_id)),
    list: "keeps",
    listVersions: "keeps"
  },
  PrivateEndpoints: {
    // A draft is in no catalog.
    insert: "keeps",
    find: "keeps",
    list: "keeps",
    update: (answer, account_id, id) =>
      typeof answer === "string" ? none : [change("private_endpoint", account_id, id)],
    remove: (outcome, account_id, id) => when(outcome === "removed", change("private_endpoint", account_id, id))
  },
  PrivateProviders: {
    insert: "keeps",
    find: "keeps",
    list: "keeps",
    update: (answer, account_id, slug) => when(Option.isSome(answer), change("private_provider", account_id, slug)),
    remove: "keeps"
  },
  SyncJobs: {
    start: "keeps",
    find: "keeps",
    advance: ({ keys }) =>
      keys.map(({ account_id, hash, workspace_id }) => change("key", account_id, hash, workspace_id))
  },
  WorkspaceBudgets: {
    of: "keeps",
    put: (answer, account_id, { workspace_id, interval }) =>
      typeof answer === "string" ? none : [change("workspace_budget", account_id, interval, workspace_id)],
    remove: (_, account_id, workspace_id, interval) => [change("workspace_budget", account_id, interval, workspace_id)]
  },
  WorkspaceMembers: {
    list: "keeps",
    // Decisions stand on the guardrail of a user, not on memberships.
    add: "keeps",
    remove: "keeps",
    users: "keeps"
  },
  Workspaces: {
    find: "keeps",
    insert: "keeps",
    list: "keeps",
    update: (outcome, account_id, id) => when(typeof outcome !== "string", change("workspace", account_id, id, id)),
    remove: (outcome, account_id, id) => when(outcome === "removed", change("workspace", account_id, id, id))
  }
}
