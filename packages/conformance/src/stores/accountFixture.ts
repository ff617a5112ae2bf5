/** Accounts that have one of everything, for suites that hold ports to the account that they are asked for. */
import {
  AlertChannels,
  Alerts,
  ApiKeys,
  Assignments,
  AuthorizationCodes,
  type Budget,
  BudgetLedger,
  ByokCredentials,
  Credits,
  DeadLetters,
  DeliveryLog,
  DeliveryQueue,
  Destinations,
  EntityNames,
  Erasures,
  FederationPolicies,
  DirectoryGroups,
  DirectoryUsers,
  Files,
  Generations,
  GroupMappings,
  Guardrails,
  KeyRateCounts,
  KeyUsageReader,
  OrganizationSettings,
  MailRecipients,
  PolicySources,
  Presets,
  ExternalUsers,
  PrivateEndpoints,
  PrivateProviders,
  SyncJobs,
  UsageHistory,
  UsageLog,
  WorkspaceBudgets,
  WorkspaceMembers,
  Workspaces,
  unrestricted,
  createAccount,
  newApiKey,
  unscoped
} from "@gatewarden/core/internal"
import { Effect, Option, Stream } from "effect"
import { confirmed } from "../alert/confirmed.ts"
import { readableStream } from "../delivery/readableStream.ts"
import { spendingEvent } from "../usage/spendingEvent.ts"

export const now = Date.parse("2026-03-04T12:00:00.000Z")
export const at = new Date(now).toISOString()
export const page = { limit: 100, offset: 0 }
export const how = { assigned_by: null, now: at }
export const bytes = new Uint8Array([1, 2, 3])
export const user_id = "ann"
export const slug = "support"
const unlimited = { requests_per_minute: null, tokens_per_minute: null, parallel_requests: null }

export const one = (name: string) => [{ name, id: crypto.randomUUID() as string }]

/** All ports that are asked for an account. */
export const ports = Effect.all({
  keys: ApiKeys,
  alertChannels: AlertChannels,
  alerts: Alerts,
  assignments: Assignments,
  codes: AuthorizationCodes,
  credits: Credits,
  ledger: BudgetLedger,
  credentials: ByokCredentials,
  deadLetters: DeadLetters,
  deliveryLog: DeliveryLog,
  deliveries: DeliveryQueue,
  destinations: Destinations,
  names: EntityNames,
  erasures: Erasures,
  federation: FederationPolicies,
  directoryGroups: DirectoryGroups,
  directoryUsers: DirectoryUsers,
  files: Files,
  generations: Generations,
  guardrails: Guardrails,
  mappings: GroupMappings,
  rates: KeyRateCounts,
  keyUsage: KeyUsageReader,
  sources: PolicySources,
  presets: Presets,
  history: UsageHistory,
  syncs: SyncJobs,
  log: UsageLog,
  budgets: WorkspaceBudgets,
  members: WorkspaceMembers,
  recipients: MailRecipients,
  externalUsers: ExternalUsers,
  privateEndpoints: PrivateEndpoints,
  privateProviders: PrivateProviders,
  settings: OrganizationSettings,
  workspaces: Workspaces
})

/** An account with nothing but a workspace, a key in it, and a guardrail. */
export const prepare = Effect.gen(function* () {
  const { keys, guardrails } = yield* ports
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const { account, workspace } = made
  const { record } = yield* newApiKey({
    kind: "normal",
    account_id: account.id,
    workspace_id: workspace.id,
    name: "key",
    user_id
  })
  yield* keys.insert(record)
  const guardrail = { id: crypto.randomUUID(), workspace_id: workspace.id, name: "one", ...unrestricted }
  yield* guardrails.insert(account.id, { ...guardrail, created_at: at, updated_at: null })
  return { account_id: account.id, workspace, workspace_id: workspace.id, hash: record.hash, guardrail: guardrail.id }
})

export type Prepared = Effect.Success<typeof prepare>

export const credentialIn = (workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  workspace_id,
  provider: "openai",
  ...unscoped,
  name: null,
  label: "...",
  created_at: at
})

export const destinationIn = (workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  workspace_id,
  type: "webhook" as const,
  name: null,
  enabled: true,
  config: { url: "https://example.com/", method: "POST" as const },
  privacy_mode: false,
  sampling_rate: 1,
  api_key_hashes: null,
  filter_rules: null,
  broadcast_generation_cost: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
  regions: ["global" as const],
  created_at: at,
  updated_at: at
})

export const alertChannelIn = (workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  workspace_id,
  name: "ops",
  type: "webhook" as const,
  config: { url: "https://ops.example.com/", signing_secret: "wh...AAAA" },
  events: ["budget.denied" as const],
  quiet_time_seconds: 60,
  enabled: true,
  created_at: at,
  updated_at: null
})

export const federationPolicyIn = (workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  workspace_id,
  name: "jobs",
  issuer: "https://issuer.example.com",
  audience: "gatewarden",
  jwks_uri: null,
  subject: "job",
  claims: [{ claim: "owner", pattern: "acme" }],
  lifetime_seconds: 900,
  limit: null,
  user_id: null,
  allow_reuse: false,
  disabled: false,
  created_at: at,
  updated_at: null
})

export const grantOf = (account_id: string, workspace_id: string) => ({
  code_hash: `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", ""),
  account_id,
  workspace_id,
  callback_url: "https://app.example.com/callback",
  callback_origin: "https://app.example.com",
  challenge_hash: null,
  code_challenge_method: null,
  key_name: "key",
  limit: null,
  limit_reset: null,
  key_expires_at: null,
  user_id: null,
  spawn_agent: null,
  spawn_cloud: null,
  created_at: at
})

export const settling = { now: at, spared: "", most_memberships: 100 }

export const directoryUserOf = (user_name: string) => ({
  id: crypto.randomUUID() as string,
  user_id: user_name,
  user_name,
  external_id: "1",
  active: true,
  attributes: {},
  created_at: at,
  updated_at: at
})

export const directoryGroupOf = (display_name: string) => ({
  id: crypto.randomUUID() as string,
  display_name,
  external_id: "1",
  member_count: 0,
  created_at: at,
  updated_at: at
})

export const mappingOf = (group_id: string, workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  group_id,
  workspace_id,
  role: "member" as const,
  created_at: at,
  updated_at: at
})

export const externalUserOf = (external_user: string) => ({
  id: crypto.randomUUID() as string,
  external_user,
  is_active: true,
  created_at: at,
  updated_at: at
})

export const privateProviderOf = (slug: string) => ({
  name: slug,
  slug,
  display_name: slug,
  base_url: "https://inference.example.com",
  data_policy: { training: false, retains_prompts: false, prompt_retention_days: null },
  headquarters: null,
  datacenters: [],
  privacy_policy_url: null,
  created_at: at
})

export const privateEndpointOf = (provider_slug: string) => ({
  id: crypto.randomUUID() as string,
  model_permaslug: "acme/sonnet",
  provider_slug,
  provider_name: provider_slug,
  upstream_model_id: "sonnet",
  base_url: null,
  declared_region: null,
  declared_zdr: null,
  pricing: { prompt: "1", completion: "2" },
  status: "draft" as const,
  validated: null,
  created_at: at
})

export const fileOf = (id: string) => ({ id, filename: "a.txt", created_at: at })

export const contentFacts = { mime_type: "text/plain", size_bytes: 1 }

export const draftIn = (workspace_id: string) => ({
  workspace_id,
  slug,
  config: {},
  system_prompt: "",
  creator_id: "system",
  new_preset_id: crypto.randomUUID() as string,
  version_id: crypto.randomUUID() as string,
  designated_of: undefined,
  most_versions: 1_000,
  most_bytes: 1_000_000,
  now: at
})

export const budgetDraftIn = (workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  workspace_id,
  interval: "daily" as const,
  limit_usd: 9,
  include_byok: true
})

/** Of somebody whom nothing names, with a request that nobody can open. */
export const erasureOf = (request_digest: string) => ({
  id: crypto.randomUUID() as string,
  kind: "user" as const,
  pseudonym: `erased-${request_digest}`,
  created_at: at,
  sealed_request: bytes,
  request_digest
})

/** One for each kind of spender: what a key, a user and a workspace spend. */
export const budgetsOf = ({ hash, workspace_id }: Prepared): readonly Budget[] =>
  (
    [
      ["key_limit", hash],
      ["member", user_id],
      ["workspace_budget", workspace_id]
    ] as const
  ).map(([scope, entity]) => ({
    scope,
    entity,
    guardrail_id: null,
    interval: "lifetime",
    limit_nanos: 1000n,
    include_byok: false
  }))

export const holdOf = (admission_id: string, of: Prepared, nanos = 100n) => ({
  admission_id,
  workspace_id: of.workspace_id,
  key_hash: of.hash,
  user_id,
  budgets: budgetsOf(of),
  costs: [{ nanos, byok: false }],
  hold_seconds: 60
})

export const eventOf = (id: string, { workspace_id, hash }: Prepared) =>
  spendingEvent({ id, created_at: at, workspace_id, api_key_hash: hash, user_id, cost_nanos: 10n })

/** A dead letter, an attempt in the log, and an event that waits, of a destination. */
const deliverOne = Effect.fnUntraced(function* (own: Prepared, destination_id: string) {
  const { deliveries, log } = yield* ports
  const selected = { destinations: [destination_id], sealed_bodies: null, sealed_content: null }
  const events = ["dead", "waiting"].map((name) => ({
    ...eventOf(`${name} ${crypto.randomUUID()}`, own),
    cost_nanos: 0n
  }))
  yield* log.recordAll(
    Stream.succeed([
      { account_id: own.account_id, events, selected: new Map(events.map((event) => [event, selected] as const)) }
    ])
  )
  yield* readableStream
  const turn = (yield* deliveries.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 60)).find(
    (one) => one.destination_id === destination_id
  )
  if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
  const read = Option.getOrThrow(yield* deliveries.read(turn, null, { events: 1, bytes: 1_000 }))
  const attempt = {
    ...{ outcome: "refused" as const, events: 1, accepted: 0, refused: 1, rejected_spans: 0 },
    ...{ duration_ms: 5, status: 400, message: "theirs" }
  }
  const dead = read.events.map(({ event }) => ({
    ...{ event_id: event.id, status: 400, message: "theirs", sealed_bodies: null }
  }))
  const passed = { position: read.position ?? "", accepted: 0, dead, answer: undefined, attempt }
  yield* deliveries.acknowledge(turn, passed, 60)
  yield* deliveries.release(turn, { kind: "released" })
  return dead[0]?.event_id ?? ""
})

/** One of everything in the account's workspace. */
export const furnish = Effect.fnUntraced(function* (own: Prepared) {
  const {
    alertChannels,
    assignments,
    budgets,
    credentials,
    credits,
    destinations,
    erasures,
    federation,
    directoryGroups,
    directoryUsers,
    files,
    guardrails,
    keys,
    ledger,
    log,
    mappings,
    members,
    presets,
    externalUsers,
    privateEndpoints,
    privateProviders,
    rates,
    settings,
    sources,
    syncs
  } = yield* ports
  const { account_id, workspace_id, hash, guardrail } = own
  const admission = crypto.randomUUID() as string
  const event = crypto.randomUUID() as string
  const [stored, arriving] = [crypto.randomUUID() as string, crypto.randomUUID() as string]
  const credential = credentialIn(workspace_id)
  const destination = destinationIn(workspace_id)
  const alertChannel = alertChannelIn(workspace_id)
  const federationPolicy = federationPolicyIn(workspace_id)
  const { record } = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "key", user_id: "dora" })
  yield* keys.insert(record)
  for (const user of [user_id, "cleo", account_id])
    yield* members.add(account_id, workspace_id, [{ user_id: user, id: crypto.randomUUID() }], at)
  yield* externalUsers.insert(account_id, externalUserOf("theirs"))
  yield* privateProviders.insert(account_id, privateProviderOf("theirs"), 9)
  const privateEndpoint = privateEndpointOf("theirs")
  yield* privateEndpoints.insert(account_id, privateEndpoint, { limit: 9, under: "theirs" })
  yield* settings.update(account_id, { is_filtered_model_catalog_enabled: true })
  yield* guardrails.update(account_id, own.workspace.default_guardrail_id, { description: "theirs" }, at)
  yield* assignments.assignKeys(account_id, guardrail, one(hash), how)
  yield* assignments.assignMembers(account_id, guardrail, one(user_id), how)
  yield* budgets.put(account_id, { ...budgetDraftIn(workspace_id), include_byok: false }, at)
  yield* sources.limitRates(account_id, hash, { requests_per_minute: 7 })
  const secret = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "")
  yield* keys.rotate(account_id, hash, { secret_hash: secret, label: "gw-v1-new...new", now: at, overlap_millis: 0 })
  yield* credits.append(account_id, { id: crypto.randomUUID(), amount_nanos: 5n, note: "theirs", created_at: at })
  yield* credentials.insert(account_id, credential, bytes)
  yield* destinations.insert(account_id, destination, bytes)
  yield* alertChannels.insert(account_id, alertChannel, bytes)
  yield* confirmed(account_id, ["ops@example.com"])
  yield* federation.insert(account_id, federationPolicy)
  for (const id of [stored, arriving]) yield* files.reserve(account_id, workspace_id, fileOf(id))
  yield* files.publish(account_id, stored, contentFacts, 1_000_000)
  yield* presets.append(account_id, draftIn(workspace_id))
  const [person, group] = [directoryUserOf("erin"), directoryGroupOf("research")]
  const mapping = mappingOf(group.id, workspace_id)
  yield* directoryUsers.insert(account_id, person, settling)
  yield* directoryUsers.insert(account_id, { ...directoryUserOf("frank"), active: false }, settling)
  yield* directoryGroups.insert(account_id, group, [person.id], settling)
  yield* mappings.insert(account_id, mapping, settling)
  const sync = yield* syncs.start(account_id, crypto.randomUUID(), at)
  const erasure = erasureOf("theirs")
  yield* erasures.start(account_id, erasure, 9)
  yield* ledger.hold(account_id, holdOf(admission, own))
  yield* ledger.hold(account_id, holdOf(crypto.randomUUID(), own, 2000n))
  const settled = crypto.randomUUID()
  yield* ledger.hold(account_id, holdOf(settled, own))
  yield* ledger.settle(account_id, eventOf(settled, own))
  yield* rates.admit(account_id, {
    admission_id: admission,
    key_hash: hash,
    limits: unlimited,
    tokens: 5,
    hold_seconds: 60
  })
  const recorded = eventOf(event, own)
  const selected = new Map([
    [recorded, { destinations: [], sealed_bodies: null, sealed_content: new Uint8Array([1, 2, 3]) }]
  ])
  yield* log.recordAll(Stream.make([{ account_id, events: [recorded], selected }]))
  const dead = yield* deliverOne(own, destination.id)
  return {
    ...own,
    dead,
    secret,
    admission,
    event,
    stored,
    arriving,
    credential: credential.id,
    destination: destination.id,
    alertChannel: alertChannel.id,
    federationPolicy: federationPolicy.id,
    person: person.id,
    group: group.id,
    mapping: mapping.id,
    sync: sync.id,
    erasure: erasure.id,
    privateEndpoint: privateEndpoint.id
  }
})

export type Furnished = Effect.Success<ReturnType<typeof furnish>>
