/** Holds every port to the account and workspace that it is asked for: what is another's does not exist there, and stays as it is. */
import { Files, IdempotencyRecords, noUsage, type StorePorts, Workspaces, unrestricted } from "@gatewarden/core/store"
import { newApiKey } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Result, Stream } from "effect"
import type { HandClock } from "../HandClock.ts"
import {
  now,
  at,
  page,
  how,
  bytes,
  user_id,
  slug,
  one,
  ports,
  prepare,
  budgetsOf,
  holdOf,
  eventOf,
  credentialIn,
  destinationIn,
  alertChannelIn,
  federationPolicyIn,
  grantOf,
  contentFacts,
  directoryGroupOf,
  fileOf,
  mappingOf,
  settling,
  draftIn,
  erasureOf,
  budgetDraftIn,
  furnish,
  type Furnished,
  type Prepared
} from "../stores/furnishedAccount.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const soughtBy = (id: string) => ({ ids: [id], names: ["erin", "research"], external_ids: ["1"] })

/** What an account reads of things that are named by their ids. */
const readBy = Effect.fnUntraced(function* (account_id: string, of: Furnished) {
  const all = yield* ports
  const { workspace_id, hash, guardrail } = of
  return {
    workspace: yield* all.workspaces.find(account_id, workspace_id),
    workspaces: (yield* all.workspaces.list(account_id, page)).data.filter(({ id }) => id === workspace_id),
    unchangedWorkspace: yield* all.workspaces.update(account_id, workspace_id, {}, at),
    keys: yield* all.keys.list(account_id, { hashes: [hash] }),
    allKeys: (yield* all.keys.list(account_id, {})).filter((key) => key.hash === hash),
    keysOfWorkspace: yield* all.keys.list(account_id, { kind: "normal", workspace_id }),
    unchangedKey: yield* all.keys.update(account_id, hash, {}, at),
    guardrail: yield* all.guardrails.find(account_id, guardrail),
    guardrails: yield* all.guardrails.list(account_id, { workspace_id }, page),
    keyAssignments: yield* all.assignments.listKeys(account_id, { guardrail_id: guardrail }, page),
    memberAssignments: yield* all.assignments.listMembers(account_id, { guardrail_id: guardrail }, page),
    members: yield* all.members.list(account_id, workspace_id, page),
    users: (yield* all.members.users(account_id, page, at)).data.filter(({ id }) => id === of.account_id),
    budgets: (yield* all.budgets.of(account_id, workspace_id)).budgets,
    source: yield* all.sources.of(account_id, hash),
    sourceOfSecret: yield* all.sources.of(account_id, of.secret),
    credential: yield* all.credentials.find(account_id, of.credential),
    credentials: yield* all.credentials.list(account_id, { workspace_id }, page),
    sealed: yield* all.credentials.sealed(account_id, workspace_id, "openai"),
    destination: yield* all.destinations.find(account_id, of.destination),
    destinations: yield* all.destinations.list(account_id, { workspace_id }, page),
    deadLetters: yield* all.deadLetters.list(account_id, of.destination, page),
    deadLetter: yield* all.deadLetters.find(account_id, of.destination, [of.dead]),
    diedUntil: yield* all.deadLetters.diedUntil(account_id, of.destination, everyEvent.end, 9),
    attempts: yield* all.deliveryLog.attempts(account_id, of.destination, page),
    waiting: yield* all.deliveryLog.waiting(account_id, of.destination),
    deliveryState: yield* all.deliveries.stateOf(account_id, of.destination),
    alertChannel: yield* all.alertChannels.find(account_id, of.alertChannel),
    alertChannels: yield* all.alertChannels.list(account_id, { workspace_id }, page),
    alerts: yield* all.alerts.list(account_id, { workspace_id }, page),
    federationPolicy: yield* all.federation.find(account_id, of.federationPolicy),
    federationPolicies: yield* all.federation.list(account_id, { workspace_id }, page),
    person: yield* all.directoryUsers.find(account_id, soughtBy(of.person), 9),
    isInactive: yield* all.directoryUsers.isInactive(account_id, "frank"),
    people: (yield* all.directoryUsers.list(account_id, page)).data.filter(({ id }) => id === of.person),
    unchangedPerson: yield* all.directoryUsers.update(account_id, of.person, Result.succeed, settling),
    group: yield* all.directoryGroups.find(account_id, { ...soughtBy(of.group), members: [of.person] }, 9),
    groups: (yield* all.directoryGroups.list(account_id, page)).data.filter(({ id }) => id === of.group),
    unchangedGroup: yield* all.directoryGroups.update(account_id, of.group, {}, settling),
    groupMembers: yield* all.directoryGroups.members(account_id, [of.group]),
    groupsOf: yield* all.directoryGroups.groupsOf(account_id, [of.person], 10),
    sync: yield* all.syncs.find(account_id, of.sync),
    mapping: yield* all.mappings.find(account_id, of.mapping),
    mappings: (yield* all.mappings.list(account_id, page)).data.filter(({ id }) => id === of.mapping),
    erasure: yield* all.erasures.find(account_id, of.erasure),
    erasures: (yield* all.erasures.list(account_id, page)).data.filter(({ id }) => id === of.erasure),
    inTheWay: yield* all.erasures.inTheWay(account_id, dora, at),
    walked: yield* all.erasures.walk(account_id, { kind: "user", name: user_id }, undefined, 9),
    file: yield* all.files.find(account_id, workspace_id, of.stored),
    files: yield* all.files.list(account_id, workspace_id, { after: undefined, limit: 10 }),
    preset: yield* all.presets.find(account_id, workspace_id, slug),
    version: yield* all.presets.findVersion(account_id, workspace_id, slug, 1),
    presets: yield* all.presets.list(account_id, workspace_id, page),
    versions: yield* all.presets.listVersions(account_id, workspace_id, slug, page),
    states: (yield* all.ledger.states(account_id, workspace_id, budgetsOf(of))).map((state) => [
      state.spent_nanos,
      state.held_nanos
    ]),
    warnings: yield* all.ledger.warnings(account_id, workspace_id, page),
    allWarnings: yield* all.ledger.warnings(account_id, undefined, page),
    use: yield* all.rates.use(account_id, hash),
    recorded: [...(yield* all.log.recordedOf(account_id, [of.event]))],
    generation: yield* all.generations.find(account_id, of.event),
    content: yield* all.generations.findContent(account_id, of.event),
    places: [...(yield* all.log.keysOf(account_id, [hash]))],
    placesOfSecret: [...(yield* all.log.keysOf(account_id, [of.secret]))],
    credits: [yield* all.credits.totals(account_id), yield* all.credits.list(account_id, page)],
    usage: (yield* all.keyUsage.usageOf(account_id, [hash], now)).get(hash) ?? noUsage,
    history: yield* all.history.after(account_id, { start: at, end: new Date(now + 1).toISOString() }, undefined, 9),
    events: yield* all.history.eventsBetween(account_id, everyEvent, undefined, { created_at: everyEvent.end, id: "" })
  }
})

const everyEvent = { start: undefined, end: "2100-01-01T00:00:00.000Z", equal: {}, tag: undefined }

const empty = { data: [], total_count: 0 }

/** Has a key in furnished accounts. */
const dora = { kind: "user", name: "dora" } as const

/** What is not there. */
const nothing: Effect.Success<ReturnType<typeof readBy>> = {
  workspace: Option.none(),
  workspaces: [],
  unchangedWorkspace: "missing",
  keys: [],
  allKeys: [],
  keysOfWorkspace: [],
  unchangedKey: Option.none(),
  guardrail: Option.none(),
  guardrails: empty,
  keyAssignments: empty,
  memberAssignments: empty,
  members: empty,
  users: [],
  budgets: [],
  source: Option.none(),
  sourceOfSecret: Option.none(),
  credential: Option.none(),
  credentials: empty,
  sealed: [],
  destination: Option.none(),
  destinations: empty,
  deadLetters: empty,
  deadLetter: [],
  diedUntil: [],
  attempts: empty,
  waiting: { waiting: 0, oldest_at: null },
  deliveryState: Option.none(),
  alertChannel: Option.none(),
  alertChannels: empty,
  alerts: empty,
  federationPolicy: Option.none(),
  federationPolicies: empty,
  person: [],
  isInactive: false,
  people: [],
  unchangedPerson: "missing",
  group: [],
  groups: [],
  unchangedGroup: "missing",
  groupMembers: [],
  groupsOf: [],
  sync: Option.none(),
  mapping: Option.none(),
  mappings: [],
  erasure: Option.none(),
  erasures: [],
  inTheWay: [],
  walked: { events: [], last: undefined },
  file: Option.none(),
  files: [],
  preset: Option.none(),
  version: Option.none(),
  presets: empty,
  versions: Option.none(),
  states: [
    [0n, 0n],
    [0n, 0n],
    [0n, 0n]
  ],
  warnings: empty,
  allWarnings: empty,
  use: { requests: 0, tokens: 0, parallel: 0, resets_at: null },
  recorded: [],
  generation: Option.none(),
  content: Option.none(),
  places: [],
  placesOfSecret: [],
  credits: [{ granted_nanos: 0n, spent_nanos: 0n }, []],
  usage: noUsage,
  history: [],
  events: []
}

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
const changedBy = Effect.fnUntraced(function* (stranger: Prepared, of: Furnished) {
  const all = yield* ports
  const { account_id } = stranger
  const { workspace_id, hash, guardrail, admission, credential } = of
  const member = { user_id: "bob", id: crypto.randomUUID() }
  const { default_guardrail_id } = of.workspace
  return {
    key: yield* all.keys.update(account_id, hash, { name: "taken" }, at),
    removedKey: yield* all.keys.remove(account_id, hash, at),
    rotatedKey: yield* all.keys.rotate(account_id, hash, {
      secret_hash: "9".repeat(64),
      label: "taken",
      now: at,
      overlap_ends_at: at
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
      { replaces: bytes, config: { url: "https://example.org/", method: "POST" }, sealed_config: Uint8Array.of(1) },
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
    published: yield* all.files.publish(account_id, of.arriving, contentFacts),
    withdrawn: yield* all.files.withdraw(account_id, workspace_id, of.stored, at),
    preset: yield* all.presets.append(account_id, draftIn(workspace_id)),
    designated: yield* all.presets.designate(account_id, workspace_id, slug, 1, at),
    code: yield* all.codes.insert(grantOf(account_id, workspace_id)),
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

const refused: Effect.Success<ReturnType<typeof changedBy>> = {
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
  published: false,
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

export const accountsApartSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`accounts apart: ${name}`, () => {
    const clock: HandClock = { now }
    const run = storeUnderTest(makeStore, clock)
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) => it(title, () => run(body))

    test(
      "shows nobody else what is an account's, and lets nobody else change it",
      Effect.gen(function* () {
        const own = yield* furnish(yield* prepare)
        const stranger = yield* prepare
        const before = yield* readBy(own.account_id, own)
        for (const [what, read] of Object.entries(before))
          assert.notDeepEqual(read, nothing[what as keyof typeof nothing], `${what} is there`)
        assert.deepEqual(yield* readBy(stranger.account_id, own), nothing)
        assert.deepEqual(yield* changedBy(stranger, own), refused)
        assert.deepEqual(yield* readBy(own.account_id, own), before)
        // A user of the same name is another one.
        yield* furnish(stranger)
        assert.deepEqual(yield* readBy(own.account_id, own), before)
        assert.isTrue(yield* (yield* Files).publish(own.account_id, own.arriving, contentFacts))
        // What was held for a minute is held no longer for what others asked.
        clock.now += 60_000
        const { states, use } = yield* readBy(own.account_id, own)
        assert.strictEqual(use.parallel, 0)
        assert.deepEqual(states, [
          [20n, 0n],
          [20n, 0n],
          [20n, 0n]
        ])
      })
    )

    test(
      "shows in a workspace nothing of another one of the account",
      Effect.gen(function* () {
        const own = yield* furnish(yield* prepare)
        const ids = { id: crypto.randomUUID(), default_guardrail_id: crypto.randomUUID() }
        const other = { ...own.workspace, ...ids, slug: "other" }
        yield* (yield* Workspaces).insert(own.account_id, other)
        const read = yield* readBy(own.account_id, { ...own, workspace_id: other.id })
        const ofWorkspace = [
          "keysOfWorkspace",
          "guardrails",
          "members",
          "budgets",
          "credentials",
          "sealed",
          "destinations",
          "alertChannels",
          "alerts",
          "federationPolicies",
          "file",
          "files",
          "preset",
          "version",
          "warnings"
        ] as const
        for (const what of ofWorkspace) assert.deepEqual(read[what], nothing[what], what)
      })
    )

    test(
      "charges nobody else, whatever ids an event names",
      Effect.gen(function* () {
        const { ledger, log } = yield* ports
        const own = yield* furnish(yield* prepare)
        const { account_id } = yield* prepare
        const before = yield* readBy(own.account_id, own)
        const asked = yield* ledger.hold(account_id, holdOf(crypto.randomUUID(), own))
        assert.deepEqual(
          asked.states.map(({ spent_nanos, held_nanos }) => [spent_nanos, held_nanos]),
          nothing.states
        )
        assert.deepEqual(yield* log.record(account_id, Stream.make([eventOf(own.event, own)])), {
          accepted: 1,
          duplicates: 0
        })
        assert.deepEqual(yield* ledger.settle(account_id, { ...eventOf(own.admission, own), user_id: "bob" }), {
          charges: [],
          overdraft_nanos: 0n
        })
        assert.deepEqual(yield* readBy(own.account_id, own), before)
        const theirs = yield* readBy(account_id, own)
        assert.deepEqual(new Set(theirs.history.map((use) => use.user_id)), new Set([user_id, "bob"]))
        const { charges } = yield* ledger.settle(own.account_id, eventOf(own.admission, own))
        assert.deepEqual(
          charges.map(({ nanos }) => nanos),
          [10n, 10n, 10n]
        )
        assert.deepEqual(yield* readBy(account_id, own), theirs)
      })
    )

    test(
      "keeps claims and answers of equal requests apart",
      Effect.gen(function* () {
        const records = yield* IdempotencyRecords
        const scopes = yield* Effect.forEach([0, 1], () =>
          Effect.map(prepare, ({ account_id }) => ({
            account_id,
            key_hash: "a".repeat(64),
            request_hash: "b".repeat(64)
          }))
        )
        const [own, other] = [scopes[0] ?? assert.fail(), scopes[1] ?? assert.fail()]
        const token = crypto.randomUUID()
        const claim = (scope: typeof own, millis: number) =>
          Effect.map(records.claim(scope, token, now + millis, now + millis + 1000), ({ kind }) => kind)
        assert.strictEqual(yield* claim(own, 0), "claimed")
        assert.strictEqual(yield* claim(other, 0), "claimed")
        yield* records.renew(other, token, now + 5000)
        assert.strictEqual(yield* claim(other, 1000), "in_flight")
        assert.strictEqual(yield* claim(own, 1000), "claimed")
        const answer = { kept: { body_hash: "c".repeat(64), status: 200, sealed: bytes } }
        assert.isTrue(Option.isSome(yield* records.complete(own, token, now + 1000, Effect.succeed(answer))))
        assert.strictEqual(yield* claim(other, 1000), "in_flight")
        yield* records.release(other, token)
        assert.strictEqual(yield* claim(own, 3000), "answered")
        assert.strictEqual(yield* claim(other, 3000), "claimed")
        yield* records.release(own, token)
        assert.strictEqual(yield* claim(other, 3000), "in_flight")
      })
    )
  })
}
