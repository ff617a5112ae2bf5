/** Holds every port to the account and workspace that it is asked for: what is another's does not exist there, and stays as it is. */
import { Files, IdempotencyRecords, noUsage, type StorePorts, Workspaces, unrestricted } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Stream } from "effect"
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
  grantOf,
  contentFacts,
  fileOf,
  draftIn,
  budgetDraftIn,
  furnish,
  type Furnished,
  type Prepared
} from "../stores/furnishedAccount.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

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
    credential: yield* all.credentials.find(account_id, of.credential),
    credentials: yield* all.credentials.list(account_id, { workspace_id }, page),
    sealed: yield* all.credentials.sealed(account_id, workspace_id, "openai"),
    destination: yield* all.destinations.find(account_id, of.destination),
    destinations: yield* all.destinations.list(account_id, { workspace_id }, page),
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
    places: [...(yield* all.log.keysOf(account_id, [hash]))],
    usage: (yield* all.keyUsage.usageOf(account_id, [hash], now)).get(hash) ?? noUsage,
    history: yield* all.history.after(account_id, { start: at, end: new Date(now + 1).toISOString() }, undefined, 9)
  }
})

const empty = { data: [], total_count: 0 }

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
  credential: Option.none(),
  credentials: empty,
  sealed: [],
  destination: Option.none(),
  destinations: empty,
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
  places: [],
  usage: noUsage,
  history: []
}

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
    removedDestination: yield* all.destinations.remove(account_id, of.destination),
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
  removedDestination: false,
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
