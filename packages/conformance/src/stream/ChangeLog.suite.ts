/** Holds a store to what caches need of its log of changes: each change is told once, and what has not changed is not told. */
import {
  type Acting,
  Acts,
  ApiKeys,
  Assignments,
  AuditLog,
  ByokCredentials,
  type Change,
  ChangeLog,
  Guardrails,
  maxChanges,
  ModelCatalog,
  Presets,
  Retention,
  type StorePorts,
  unrestricted,
  Workspaces,
  createAccount,
  unscoped,
  sealChanges
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { catalogModel } from "../model/catalogModel.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = "2026-03-04T12:00:00.000Z"
const later = "2026-03-04T12:00:01.000Z"
/** Stores sweep by clocks of their own. */
const longAgo = "2001-01-01T00:00:00.000Z"
const farAhead = "2999-01-01T00:00:00.000Z"

const acting = (at: string): Acting => ({
  actor: { type: "operator", id: null },
  operation: "prepare",
  request_id: null,
  at
})

/** One reader of the log, from here on. */
const reader = Effect.gen(function* () {
  const log = yield* ChangeLog
  let { position } = yield* log.since(undefined)
  return Effect.map(
    Effect.suspend(() => log.since(position)),
    (answer) => {
      position = answer.position
      return answer.changes
    }
  )
})

const prepare = Effect.gen(function* () {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const account_id = made.account.id
  const read = yield* reader
  /** What was told of this account, and of none. */
  const told = Effect.map(read, (changes) =>
    changes === "everything"
      ? assert.fail("everything")
      : changes
          .filter((change) => change.account_id === account_id || change.account_id === null)
          .map(({ noun, id }: Change) => `${noun} ${id}`)
          .sort()
  )
  return { account_id, workspace_id: made.workspace.id, read, told }
})

const guardrail = (workspace_id: string) => ({
  ...unrestricted,
  id: crypto.randomUUID(),
  workspace_id,
  name: "a",
  created_at: now,
  updated_at: null
})

const apiKey = (account_id: string, workspace_id: string, name: string) => ({
  hash: `${name}${crypto.randomUUID()}`.replaceAll("-", "").padEnd(64, "0"),
  account_id,
  kind: "normal" as const,
  workspace_id,
  user_id: "ada",
  external_user: null,
  creator_user_id: null,
  issued_by: null,
  name,
  label: name,
  disabled: false,
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
  expires_at: null,
  revoked_at: null,
  restrictions: null,
  created_at: now,
  updated_at: null
})

const credential = (workspace_id: string) => ({
  id: crypto.randomUUID(),
  workspace_id,
  provider: "openai",
  ...unscoped,
  name: "a",
  label: "...",
  created_at: now
})

export const changeLogSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`log of changes: ${name}`, () => {
    const run = storeUnderTest(makeStore, Date.parse(now))
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) => it(title, () => run(body))

    test(
      "tells of everything that decisions stand on, once",
      Effect.gen(function* () {
        const { account_id, workspace_id, told } = yield* prepare
        assert.deepStrictEqual(yield* told, [])
        const key = apiKey(account_id, workspace_id, "a")
        yield* (yield* ApiKeys).insert(key)
        assert.deepStrictEqual(yield* told, [`key ${key.hash}`])
        assert.deepStrictEqual(yield* told, [])

        const guardrails = yield* Guardrails
        const rules = guardrail(workspace_id)
        yield* guardrails.insert(account_id, rules)
        assert.deepStrictEqual(yield* told, [`guardrail ${rules.id}`])
        yield* guardrails.update(account_id, rules.id, { allowed_models: ["acme/a"] }, later)
        assert.deepStrictEqual(yield* told, [`guardrail ${rules.id}`])
        yield* guardrails.update(account_id, rules.id, { allowed_models: ["acme/a"] }, later)
        assert.deepStrictEqual(yield* told, [])

        const assignments = yield* Assignments
        const how = { assigned_by: null, now }
        const one = (assignee: string) => [{ name: assignee, id: crypto.randomUUID() }]
        assert.strictEqual(yield* assignments.assignKeys(account_id, rules.id, one(key.hash), how), "assigned")
        assert.deepStrictEqual(yield* told, [`key_assignment ${key.hash}`])
        assert.strictEqual(yield* assignments.assignMembers(account_id, rules.id, one("ada"), how), "assigned")
        assert.deepStrictEqual(yield* told, ["member_assignment ada"])
        yield* assignments.unassignKeys(account_id, rules.id, [key.hash])
        assert.deepStrictEqual(yield* told, [`key_assignment ${key.hash}`])

        const credentials = yield* ByokCredentials
        const upstream = credential(workspace_id)
        assert.isTrue(Option.isSome(yield* credentials.insert(account_id, upstream, Uint8Array.of(1))))
        assert.deepStrictEqual(yield* told, [`byok_credential ${upstream.id}`])
        yield* credentials.update(account_id, upstream.id, { disabled: true })
        assert.deepStrictEqual(yield* told, [`byok_credential ${upstream.id}`])
        yield* credentials.update(account_id, upstream.id, { disabled: true })
        assert.deepStrictEqual(yield* told, [])
        const deleted = credential(workspace_id)
        yield* credentials.insert(account_id, deleted, Uint8Array.of(1))
        assert.deepStrictEqual(yield* told, [`byok_credential ${deleted.id}`])
        for (const expected of [[`byok_credential ${deleted.id}`], []]) {
          yield* credentials.remove(account_id, deleted.id)
          assert.deepStrictEqual(yield* told, expected)
        }

        const draft = {
          new_preset_id: crypto.randomUUID(),
          version_id: crypto.randomUUID(),
          workspace_id,
          slug: "a",
          config: {},
          system_prompt: "",
          creator_id: "ada",
          designated_of: undefined,
          most_versions: 1_000,
          most_bytes: 1_000_000,
          now
        }
        assert.isTrue(Option.isSome(yield* (yield* Presets).append(account_id, draft)))
        assert.deepStrictEqual(yield* told, [`preset ${draft.slug}`])
        yield* (yield* Presets).append(account_id, { ...draft, version_id: crypto.randomUUID() })
        assert.deepStrictEqual(yield* told, [`preset ${draft.slug}`])

        const catalog = yield* ModelCatalog
        const id = `acme/${crypto.randomUUID()}`
        yield* catalog.upsert([catalogModel(id, { name: "a" }), catalogModel(`${id}-2`, { name: "a" })], now)
        assert.deepStrictEqual(yield* told, ["catalog "])
        yield* catalog.upsert([catalogModel(id, { name: "b" })], now)
        assert.deepStrictEqual(yield* told, ["catalog "])
        yield* catalog.upsert([catalogModel(id, { name: "b" })], later)
        assert.deepStrictEqual(yield* told, [])
        for (const expected of [["catalog "], []]) {
          yield* catalog.upsertOwn(account_id, [catalogModel(`${id}-own`)], {
            models: 10,
            endpoints: 10,
            characters: 100_000
          })
          assert.deepStrictEqual(yield* told, expected)
        }

        yield* (yield* Workspaces).remove(account_id, workspace_id, { force: true, now })
        assert.includeMembers(yield* told, [
          `workspace ${workspace_id}`,
          `key ${key.hash}`,
          `guardrail ${rules.id}`,
          `byok_credential ${upstream.id}`,
          `preset ${draft.slug}`
        ])
      })
    )

    test(
      "says everything to whoever knows nothing, and when there is too much to tell",
      Effect.gen(function* () {
        const { account_id, workspace_id, read } = yield* prepare
        const log = yield* ChangeLog
        assert.strictEqual((yield* log.since(undefined)).changes, "everything")
        const keys = yield* ApiKeys
        const insert = (count: number) =>
          Effect.forEach(
            Array.from({ length: count }, (_, index) => apiKey(account_id, workspace_id, String(index))),
            (key) => keys.insert(key),
            { concurrency: 8, discard: true }
          )
        yield* insert(maxChanges)
        assert.lengthOf(yield* read, maxChanges)
        yield* insert(maxChanges + 1)
        assert.strictEqual(yield* read, "everything")
      })
    )

    test(
      "is swept of old changes, whose chain stays whole, and tells of what comes after",
      Effect.gen(function* () {
        const { account_id, workspace_id, told } = yield* Effect.provideService(prepare, Acts, acting(longAgo))
        const guardrails = yield* Guardrails
        const audit = yield* AuditLog
        const retention = yield* Retention
        const [first, second, third] = [guardrail(workspace_id), guardrail(workspace_id), guardrail(workspace_id)]
        const insert = (one: typeof first, at: string) =>
          Effect.provideService(guardrails.insert(account_id, one), Acts, acting(at))
        yield* insert(first, longAgo)
        yield* insert(second, farAhead)
        assert.deepStrictEqual(yield* told, [`guardrail ${first.id}`, `guardrail ${second.id}`].sort())
        yield* sealChanges(account_id)
        const whole = yield* audit.verify(account_id)
        assert.deepStrictEqual(whole.broken, [])
        let swept = 0
        for (let more = 1; more > 0; swept += more) more = yield* retention.sweep("changes", 400 * 86_400, 1)
        // The account, its workspace, its key and the first guardrail.
        assert.strictEqual(swept, 4)
        assert.deepStrictEqual(yield* audit.verify(account_id), { ...whole, verified: 1, removed: 4 })
        yield* insert(third, farAhead)
        yield* sealChanges(account_id)
        assert.deepStrictEqual(yield* told, [`guardrail ${third.id}`])
        const after = yield* audit.verify(account_id)
        assert.deepStrictEqual(
          [after.verified, after.head?.position, after.broken],
          [2, (whole.head?.position ?? 0) + 1, []]
        )
      })
    )
  })
}
