/** What an account is answered that changes things of another one: what it is answered for things that are not there. */
import { unrestricted, newApiKey } from "@gatewarden/core/internal"
import { Effect, Option, Result } from "effect"
import {
  at,
  how,
  bytes,
  user_id,
  slug,
  one,
  ports,
  erasureOf,
  credentialIn,
  destinationIn,
  alertChannelIn,
  federationPolicyIn,
  grantOf,
  contentFacts,
  directoryGroupOf,
  fileOf,
  privateEndpointOf,
  mappingOf,
  settling,
  draftIn,
  budgetDraftIn,
  type Furnished,
  type Prepared
} from "../stores/accountFixture.ts"
import { dora } from "./readsOfStrangers.ts"

/** An erasure of one account that is to change rows and events of another. */
const erasedBy = Effect.fnUntraced(function* ({ account_id }: Prepared, of: Furnished) {
  const { erasures } = yield* ports
  const own = erasureOf("own")
  yield* erasures.start(account_id, own, 9)
  const person = { kind: "user", name: user_id } as const
  const walked = { events: [{ id: of.event, session_id: "taken" }], last: undefined }
  yield* erasures.advance(account_id, own.id, { does: "events", person, walked }, at)
  return yield* erasures.advance(account_id, own.id, { does: "rows", person: dora, atMost: 9 }, at)
})

/** What an account is answered that changes another's things: what it is for things that are not there. */
export const changedBy = Effect.fnUntraced(function* (stranger: Prepared, of: Furnished) {
  const all = yield* ports
  const { account_id } = stranger
  const { workspace_id, hash, guardrail, admission, credential } = of
  const member = { user_id: "bob", id: crypto.randomUUID() }
  const { default_guardrail_id } = of.workspace
  return {
    externalUser: yield* all.externalUsers.update(account_id, "theirs", false, at),
    privateProvider: yield* all.privateProviders.update(account_id, "theirs", { display_name: "taken" }),
    removedPrivateProvider: yield* all.privateProviders.remove(account_id, "theirs"),
    privateEndpoint: yield* all.privateEndpoints.update(account_id, of.privateEndpoint, { status: "active" }, {}),
    removedPrivateEndpoint: yield* all.privateEndpoints.remove(account_id, of.privateEndpoint, {}),
    privateEndpointUnder: yield* all.privateEndpoints.insert(account_id, privateEndpointOf("theirs"), {
      limit: 9,
      under: "theirs"
    }),
    key: yield* all.keys.update(account_id, hash, { name: "taken" }, at),
    removedKey: yield* all.keys.remove(account_id, hash, at),
    rotatedKey: yield* all.keys.rotate(account_id, hash, {
      secret_hash: "9".repeat(64),
      label: "taken",
      now: at,
      overlap_millis: 0
    }),
    guardrail: yield* all.guardrails.insert(account_id, {
      ...unrestricted,
      id: crypto.randomUUID(),
      workspace_id,
      name: "taken",
      created_at: at,
      updated_at: null
    }),
    renamed: yield* all.guardrails.update(account_id, guardrail, { name: "taken" }, at),
    described: yield* all.guardrails.update(account_id, guardrail, { description: "taken" }, at),
    renamedTogether: yield* Effect.forEach(
      [guardrail, ...Array.from({ length: 3 }, () => crypto.randomUUID()), guardrail],
      (id) => all.guardrails.update(account_id, id, { name: "taken" }, at),
      { concurrency: "unbounded" }
    ),
    unchanged: yield* all.guardrails.update(account_id, guardrail, {}, at),
    defaultGuardrail: yield* all.guardrails.update(account_id, default_guardrail_id, { limit_usd: 1 }, at),
    removedGuardrail: yield* all.guardrails.remove(account_id, guardrail),
    removedDefault: yield* all.guardrails.remove(account_id, default_guardrail_id),
    assignedKey: yield* all.assignments.assignKeys(account_id, stranger.guardrail, one(hash), how),
    assignedTo: yield* all.assignments.assignKeys(account_id, guardrail, one(stranger.hash), how),
    unassignedKey: yield* all.assignments.unassignKeys(account_id, stranger.guardrail, [hash]),
    unassignedFrom: yield* all.assignments.unassignKeys(account_id, guardrail, [hash]),
    assignedUsers: yield* Effect.forEach(["cleo", "dora"], (user) =>
      all.assignments.assignMembers(account_id, stranger.guardrail, one(user), how)
    ),
    memberAssignedTo: yield* all.assignments.assignMembers(account_id, guardrail, one(user_id), how),
    unassignedMember: yield* all.assignments.unassignMembers(account_id, stranger.guardrail, [user_id]),
    memberUnassignedFrom: yield* all.assignments.unassignMembers(account_id, guardrail, [user_id]),
    added: yield* all.members.add(account_id, workspace_id, [member], at),
    removed: yield* all.members.remove(account_id, workspace_id, [user_id], at),
    budget: yield* all.budgets.put(account_id, budgetDraftIn(workspace_id), at),
    removedBudget: yield* all.budgets.remove(account_id, workspace_id, "daily"),
    rateLimits: yield* all.sources.limitRates(account_id, hash, { requests_per_minute: 1 }),
    credential: yield* all.credentials.insert(account_id, credentialIn(workspace_id), bytes),
    renamedCredential: yield* all.credentials.update(account_id, credential, { name: "taken" }),
    movedCredential: yield* all.credentials.update(account_id, credential, { is_fallback: true }),
    destination: yield* all.destinations.insert(account_id, destinationIn(workspace_id), bytes),
    renamedDestination: yield* all.destinations.update(account_id, of.destination, { name: "taken" }, undefined, at),
    unchangedDestination: yield* all.destinations.update(account_id, of.destination, {}, undefined, at),
    replacedConfig: yield* all.destinations.update(
      account_id,
      of.destination,
      {},
      {
        replaces: bytes,
        config: { url: "https://example.org/", method: "POST" },
        sealed_config: Uint8Array.of(1),
        moves: true
      },
      at
    ),
    alertChannel: yield* all.alertChannels.insert(account_id, alertChannelIn(workspace_id), bytes),
    renamedAlertChannel: yield* all.alertChannels.update(account_id, of.alertChannel, { name: "taken" }, undefined, at),
    unchangedAlertChannel: yield* all.alertChannels.update(account_id, of.alertChannel, {}, undefined, at),
    removedAlertChannel: yield* all.alertChannels.remove(account_id, of.alertChannel),
    federationPolicy: yield* all.federation.insert(account_id, federationPolicyIn(workspace_id)),
    renamedFederationPolicy: yield* all.federation.update(account_id, of.federationPolicy, { name: "taken" }, at),
    unchangedFederationPolicy: yield* all.federation.update(account_id, of.federationPolicy, {}, at),
    removedFederationPolicy: yield* all.federation.remove(account_id, of.federationPolicy),
    issuedKey: yield* all.federation.issue(
      {
        ...(yield* newApiKey({ kind: "normal", account_id, workspace_id: stranger.workspace_id, name: "key" })).record
      },
      { policy_id: of.federationPolicy, use_id: "use", ends_at: at }
    ),
    requeued: yield* all.deadLetters.requeue(
      account_id,
      of.destination,
      [{ event_id: of.dead, sealed_bodies: null }],
      at
    ),
    removedDestination: yield* all.destinations.remove(account_id, of.destination),
    renamedPerson: yield* all.directoryUsers.update(
      account_id,
      of.person,
      (user) => Result.succeed({ ...user, user_name: "taken", active: false }),
      settling
    ),
    removedPerson: yield* all.directoryUsers.remove(account_id, of.person, settling),
    groupOfStranger: yield* all.directoryGroups.insert(account_id, directoryGroupOf("taken"), [of.person], settling),
    renamedGroup: yield* all.directoryGroups.update(account_id, of.group, { display_name: "taken" }, settling),
    emptiedGroup: yield* all.directoryGroups.update(account_id, of.group, { members: { all: [] } }, settling),
    removedGroup: yield* all.directoryGroups.remove(account_id, of.group, settling),
    mapped: yield* all.mappings.insert(account_id, mappingOf(of.group, workspace_id), settling),
    remapped: yield* all.mappings.update(account_id, of.mapping, "admin", settling),
    unmapped: yield* all.mappings.remove(account_id, of.mapping, false, settling),
    erased: yield* all.erasures.advance(account_id, of.erasure, { does: "rows", person: dora, atMost: 9 }, at),
    erasedByOwn: yield* erasedBy(stranger, of),
    file: yield* all.files.reserve(account_id, workspace_id, fileOf(crypto.randomUUID())),
    published: yield* all.files.publish(account_id, of.arriving, contentFacts, 1_000_000),
    withdrawn: yield* all.files.withdraw(account_id, workspace_id, of.stored, at),
    preset: yield* all.presets.append(account_id, draftIn(workspace_id)),
    designated: yield* all.presets.designate(account_id, workspace_id, slug, 1, at),
    code: yield* all.codes.insert(grantOf(account_id, workspace_id), 600_000),
    feedback: yield* all.generations.keepFeedback(account_id, of.event, {
      category: "other",
      comment: "taken",
      given_at: at
    }),
    renewed: yield* all.ledger.renew(account_id, admission, 3600),
    released: yield* all.ledger.release(account_id, admission),
    renewedRate: yield* all.rates.renew(account_id, admission, 3600),
    finishedRate: yield* all.rates.finish(account_id, admission, 900),
    withdrawnRate: yield* all.rates.withdraw(account_id, admission),
    updatedWorkspace: yield* all.workspaces.update(account_id, workspace_id, { name: "taken" }, at),
    removedWorkspace: yield* all.workspaces.remove(account_id, workspace_id, { force: false, now: at }),
    emptiedWorkspace: yield* all.workspaces.remove(account_id, workspace_id, { force: true, now: at })
  }
})

export const refused: Effect.Success<ReturnType<typeof changedBy>> = {
  externalUser: Option.none(),
  privateProvider: Option.none(),
  removedPrivateProvider: "missing",
  privateEndpoint: "missing",
  removedPrivateEndpoint: "missing",
  privateEndpointUnder: "missing",
  key: Option.none(),
  removedKey: false,
  rotatedKey: Option.none(),
  guardrail: false,
  renamed: "missing",
  described: "missing",
  renamedTogether: ["missing", "missing", "missing", "missing", "missing"],
  unchanged: "missing",
  defaultGuardrail: "missing",
  removedGuardrail: "missing",
  removedDefault: "missing",
  assignedKey: "unknown",
  assignedTo: "missing",
  unassignedKey: 0,
  unassignedFrom: "missing",
  assignedUsers: ["unknown", "unknown"],
  memberAssignedTo: "missing",
  unassignedMember: 0,
  memberUnassignedFrom: "missing",
  added: "missing",
  removed: "missing",
  budget: "missing",
  removedBudget: undefined,
  rateLimits: Option.none(),
  credential: Option.none(),
  renamedCredential: "missing",
  movedCredential: "missing",
  destination: "missing",
  renamedDestination: "missing",
  unchangedDestination: "missing",
  replacedConfig: "missing",
  alertChannel: "missing",
  renamedAlertChannel: "missing",
  unchangedAlertChannel: "missing",
  removedAlertChannel: false,
  federationPolicy: "missing",
  renamedFederationPolicy: Option.none(),
  unchangedFederationPolicy: Option.none(),
  removedFederationPolicy: false,
  issuedKey: "missing",
  requeued: 0,
  removedDestination: false,
  renamedPerson: "missing",
  removedPerson: "missing",
  groupOfStranger: "unknown_member",
  renamedGroup: "missing",
  emptiedGroup: "missing",
  removedGroup: "missing",
  mapped: "no_group",
  remapped: "missing",
  unmapped: "missing",
  erased: [],
  erasedByOwn: [],
  file: false,
  published: "missing",
  withdrawn: false,
  preset: Option.none(),
  designated: Option.none(),
  code: "missing",
  feedback: false,
  renewed: Option.none(),
  released: undefined,
  renewedRate: undefined,
  finishedRate: undefined,
  withdrawnRate: undefined,
  updatedWorkspace: "missing",
  removedWorkspace: "missing",
  emptiedWorkspace: "missing"
}
