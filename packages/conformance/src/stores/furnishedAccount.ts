/** Accounts that have one of everything, for suites that hold ports to the account that they are asked for. */
import {
  ApiKeys,
  Assignments,
  AuthorizationCodes,
  type Budget,
  BudgetLedger,
  ByokCredentials,
  Destinations,
  Files,
  Generations,
  Guardrails,
  KeyRateCounts,
  KeyUsageReader,
  PolicySources,
  Presets,
  UsageHistory,
  UsageLog,
  WorkspaceBudgets,
  WorkspaceMembers,
  Workspaces,
  unrestricted
} from "@gatewarden/core/store"
import { createAccount, newApiKey, unscoped } from "@gatewarden/core/effect"
import { Effect, Stream } from "effect"
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
  assignments: Assignments,
  codes: AuthorizationCodes,
  ledger: BudgetLedger,
  credentials: ByokCredentials,
  destinations: Destinations,
  files: Files,
  generations: Generations,
  guardrails: Guardrails,
  rates: KeyRateCounts,
  keyUsage: KeyUsageReader,
  sources: PolicySources,
  presets: Presets,
  history: UsageHistory,
  log: UsageLog,
  budgets: WorkspaceBudgets,
  members: WorkspaceMembers,
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
  created_at: at,
  expires_at: new Date(now + 600_000).toISOString()
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
  most_versions: 1_000,
  now: at
})

export const budgetDraftIn = (workspace_id: string) => ({
  id: crypto.randomUUID() as string,
  workspace_id,
  interval: "daily" as const,
  limit_usd: 9,
  include_byok: true
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

/** One of everything in the account's workspace. */
export const furnish = Effect.fnUntraced(function* (own: Prepared) {
  const {
    assignments,
    budgets,
    credentials,
    destinations,
    files,
    guardrails,
    keys,
    ledger,
    log,
    members,
    presets,
    rates,
    sources
  } = yield* ports
  const { account_id, workspace_id, hash, guardrail } = own
  const admission = crypto.randomUUID() as string
  const event = crypto.randomUUID() as string
  const [stored, arriving] = [crypto.randomUUID() as string, crypto.randomUUID() as string]
  const credential = credentialIn(workspace_id)
  const destination = destinationIn(workspace_id)
  const { record } = yield* newApiKey({ kind: "normal", account_id, workspace_id, name: "key", user_id: "dora" })
  yield* keys.insert(record)
  for (const user of [user_id, "cleo", account_id])
    yield* members.add(account_id, workspace_id, [{ user_id: user, id: crypto.randomUUID() }], at)
  yield* guardrails.update(account_id, own.workspace.default_guardrail_id, { description: "theirs" }, at)
  yield* assignments.assignKeys(account_id, guardrail, one(hash), how)
  yield* assignments.assignMembers(account_id, guardrail, one(user_id), how)
  yield* budgets.put(account_id, { ...budgetDraftIn(workspace_id), include_byok: false }, at)
  yield* sources.limitRates(account_id, hash, { requests_per_minute: 7 })
  yield* credentials.insert(account_id, credential, bytes)
  yield* destinations.insert(account_id, destination, bytes)
  for (const id of [stored, arriving]) yield* files.reserve(account_id, workspace_id, fileOf(id))
  yield* files.publish(account_id, stored, contentFacts)
  yield* presets.append(account_id, draftIn(workspace_id))
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
  yield* log.record(account_id, Stream.make([eventOf(event, own)]))
  return { ...own, admission, event, stored, arriving, credential: credential.id, destination: destination.id }
})

export type Furnished = Effect.Success<ReturnType<typeof furnish>>
