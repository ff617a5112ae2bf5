/** Admissions that are renewed or cancelled, and the list of warnings of budgets. Rule: admissions#expiry, money#budget-warnings. */
import { prepare } from "@gatewarden/conformance/internal/stores/accountFixture"
import { assert, describe, it } from "@effect/vitest"
import { layerMemory } from "@gatewarden/core/internal"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { AdmissionTokens, layerAdmissionTokens } from "../../core/src/access/AdmissionTokens.ts"
import type { Caller } from "../../core/src/access/Caller.ts"
import {
  AdmittedSizes,
  LiveAdmissions,
  layerAdmittedSizes,
  layerLiveAdmissions
} from "../../core/src/ledger/AdmittedSizes.ts"
import {
  cancelAdmission,
  listBudgetWarnings,
  printedWarning,
  renewAdmission,
  requireAdmission
} from "../../core/src/ledger/operations.ts"
import { type Budget, BudgetLedger, KeyRateCounts } from "../../core/src/ports/ledger.ts"
import { Workspaces } from "../../core/src/ports/workspaces.ts"
import { emptySize } from "./sizes.ts"

const at = "2026-03-04T12:00:00.000Z"
const start = Date.parse(at)
const later = (seconds: number) => new Date(start + 1_000 * seconds).toISOString()

const signing = { id: "one", key: Redacted.make(new Uint8Array(32).fill(7)) }
const layer = Layer.mergeAll(
  layerMemory,
  layerAdmissionTokens({ primary: signing, byId: new Map([[signing.id, signing]]) }),
  layerAdmittedSizes,
  layerLiveAdmissions
)

const account_id = "10000000-0000-4000-8000-000000000000"
const workspace_id = "20000000-0000-4000-8000-000000000000"
const key_hash = "3".repeat(64)
const unlimited = { requests_per_minute: null, tokens_per_minute: null, parallel_requests: null }

/** An admission of a minute, as far as it holds money and counts, remembered by this process. */
const admitted = Effect.fnUntraced(function* ({ holds, counted }: { holds: boolean; counted: boolean }) {
  yield* TestClock.setTime(start)
  const flags = { holds, counted, forgets: false, by_operator: true, is_bounded: true }
  const token = { account_id, workspace_id, api_key_hash: key_hash, expires_at: start + 60_000, ...flags }
  const id = yield* (yield* AdmissionTokens).sign(token)
  const asked = { admission_id: id, key_hash, hold_seconds: 60 }
  if (holds)
    yield* (yield* BudgetLedger).hold(account_id, {
      ...asked,
      ...{ workspace_id, user_id: null, budgets: [budget], costs: [{ nanos: 5n, byok: false }] }
    })
  if (counted) yield* (yield* KeyRateCounts).admit(account_id, { ...asked, limits: unlimited, tokens: 9 })
  const live = { account_id, workspace_id, expires_at: start + 60_000, credentials: new Map() }
  ;(yield* LiveAdmissions).open(id, live, start)
  ;(yield* AdmittedSizes).open(id, { nanos: 5n, shared_nanos: 5n, size: emptySize }, start + 60_000, start)
  return id
})

const budget: Budget = {
  scope: "key_limit",
  entity: key_hash,
  guardrail_id: null,
  interval: "lifetime",
  limit_nanos: 100n,
  include_byok: false
}

/** What is held and counted, and until when this process remembers the admission. */
const stateOf = Effect.fnUntraced(function* (id: string) {
  const [state] = yield* (yield* BudgetLedger).states(account_id, workspace_id, [budget])
  const { parallel, tokens } = yield* (yield* KeyRateCounts).use(account_id, key_hash)
  const live = (yield* LiveAdmissions).find(id, 0)?.expires_at
  return { held: state?.held_nanos, parallel, tokens, live, hasSize: (yield* AdmittedSizes).find(id) !== undefined }
})

const kinds = [
  { holds: true, counted: true },
  { holds: true, counted: false },
  { holds: false, counted: true },
  { holds: false, counted: false }
]

describe("an admission", () => {
  it.effect("is known to its account alone, by its whole id", () =>
    Effect.gen(function* () {
      const id = yield* admitted({ holds: false, counted: false })
      assert.deepInclude(yield* requireAdmission(account_id, id), { account_id, workspace_id, api_key_hash: key_hash })
      for (const [account, sent] of [
        ["another", id],
        [account_id, id.slice(1)],
        [account_id, ""]
      ] as const)
        for (const asked of [
          Effect.asVoid(requireAdmission(account, sent)),
          Effect.asVoid(cancelAdmission(account, sent)),
          Effect.asVoid(renewAdmission(account, sent, {}))
        ]) {
          const { _tag, reason, issues } = yield* Effect.flip(asked)
          assert.deepStrictEqual([_tag, reason, issues?.[0]?.path], ["NotFound", "unknown_admission", "path.id"])
        }
    }).pipe(Effect.provide(layer))
  )

  it.effect.each(kinds)("that is cancelled holds and counts nothing any more: $holds, $counted", ({ holds, counted }) =>
    Effect.gen(function* () {
      const id = yield* admitted({ holds, counted })
      assert.deepStrictEqual(yield* stateOf(id), {
        held: holds ? 5n : 0n,
        parallel: counted ? 1 : 0,
        tokens: counted ? 9 : 0,
        live: start + 60_000,
        hasSize: true
      })
      const gone = { held: 0n, parallel: 0, tokens: 0, live: undefined, hasSize: false }
      for (const _ of ["first", "again"]) {
        assert.deepStrictEqual(yield* cancelAdmission(account_id, id), { released: true })
        assert.deepStrictEqual(yield* stateOf(id), gone)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect.each(kinds)("that is renewed lasts from now on: $holds, $counted", ({ holds, counted }) =>
    Effect.gen(function* () {
      const id = yield* admitted({ holds, counted })
      yield* TestClock.adjust("50 seconds")
      assert.deepStrictEqual(yield* renewAdmission(account_id, id, { hold_seconds: 30 }), { expires_at: later(80) })
      assert.strictEqual((yield* stateOf(id)).live, start + 80_000)
      yield* TestClock.adjust("29999 millis")
      assert.deepInclude(yield* stateOf(id), { held: holds ? 5n : 0n, parallel: counted ? 1 : 0 })
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(yield* stateOf(id), { held: 0n, parallel: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is renewed keeps its size until ten minutes after its new end", () =>
    Effect.gen(function* () {
      const id = yield* admitted({ holds: false, counted: false })
      const sizes = yield* AdmittedSizes
      yield* TestClock.adjust("50 seconds")
      yield* renewAdmission(account_id, id, { hold_seconds: 30 })
      const held = { nanos: 1n, shared_nanos: 1n, size: emptySize }
      sizes.open("other", held, start, start + 680_000 - 1)
      assert.isDefined(sizes.find(id))
      sizes.open("another", held, start, start + 680_000)
      assert.isUndefined(sizes.find(id))
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is renewed without a number of seconds lasts ten minutes", () =>
    Effect.gen(function* () {
      for (const kind of [kinds[0], kinds[3]]) {
        const id = yield* admitted(kind ?? assert.fail())
        assert.deepStrictEqual(yield* renewAdmission(account_id, id, {}), { expires_at: later(600) })
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("that held money and has ended is not renewed", () =>
    Effect.gen(function* () {
      const id = yield* admitted({ holds: true, counted: false })
      yield* TestClock.adjust("60 seconds")
      const { _tag, reason } = yield* Effect.flip(renewAdmission(account_id, id, { hold_seconds: 30 }))
      assert.deepStrictEqual([_tag, reason], ["NotFound", "not_found"])
      assert.strictEqual((yield* stateOf(id)).live, start + 60_000, "no credential is opened for longer")
    }).pipe(Effect.provide(layer))
  )
})

describe("the warnings of budgets", () => {
  const warning = {
    kind: "spent_80",
    budget: { ...budget, interval: "daily" },
    workspace_id,
    window_start: start,
    spent_nanos: 85n,
    held_nanos: 5n,
    created_at: later(1)
  } as const
  const printed = {
    kind: "spent_80",
    workspace_id,
    scope: "key_limit",
    entity: key_hash,
    guardrail_id: null,
    interval: "daily",
    window_start: at,
    limit_usd: "0.0000001",
    spent_usd: "0.000000085",
    held_usd: "0.000000005",
    created_at: later(1)
  } as const

  it("tell what is held where an admission brought them, and nothing where a settlement did", () => {
    assert.deepStrictEqual(printedWarning(warning), printed)
    assert.strictEqual(printedWarning({ ...warning, held_nanos: 0n }).held_usd, "0")
    assert.isNull(printedWarning({ ...warning, held_nanos: null }).held_usd)
  })

  const page = { limit: 10, offset: 0 }

  it.effect("are listed with names, of the workspaces that the key is for", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { account_id, workspace, hash, guardrail } = yield* prepare
      const other = { ...workspace, id: crypto.randomUUID(), slug: "other", name: "Other" }
      assert.isTrue(yield* (yield* Workspaces).insert(account_id, other))
      const denied = Effect.fnUntraced(function* (workspace_id: string, limit_nanos: bigint) {
        const budgets = [{ ...budget, scope: "key", entity: hash, guardrail_id: guardrail, limit_nanos } as const]
        const asked = { workspace_id, user_id: null, key_hash: hash, hold_seconds: 60, budgets }
        const costs = [{ nanos: 101n, byok: false }]
        yield* (yield* BudgetLedger).hold(account_id, { ...asked, admission_id: crypto.randomUUID(), costs })
      })
      yield* denied(workspace.id, 100n)
      // A window is warned of once at each limit.
      yield* denied(other.id, 99n)
      const caller = (workspace_ids?: readonly string[]): Caller => ({
        ...{ account_id, key_hash: hash, kind: "management", workspace_id: null, user_id: null, is_operator: false },
        default_workspace_id: workspace_ids === undefined ? workspace.id : null,
        restrictions:
          workspace_ids === undefined ? null : { access: "write", resources: null, workspace_ids: [...workspace_ids] }
      })
      const listed = (caller: Caller, workspace_id?: string) =>
        Effect.map(listBudgetWarnings(caller, { ...page, workspace_id }), ({ data, total_count }) => [
          total_count,
          ...data.map((one) => [one.kind, one.limit_usd, one.workspace_name, one.entity_name, one.guardrail_name])
        ])
      const first = ["denied", "0.0000001", workspace.name, "key", "one"]
      const second = ["denied", "0.000000099", "Other", "key", "one"]
      assert.deepStrictEqual(yield* listed(caller()), [2, first, second])
      assert.deepStrictEqual(yield* listed(caller(), other.id), [1, second])
      assert.deepStrictEqual(yield* listed(caller([workspace.id])), [1, first])
      assert.deepStrictEqual(yield* listed(caller([other.id])), [1, ["denied", "0.000000099", "Other", null, null]])
      const refused = yield* Effect.flip(
        listBudgetWarnings(caller([other.id]), { ...page, workspace_id: workspace.id })
      )
      assert.deepStrictEqual(
        refused.issues?.map(({ path, code }) => [path, code]),
        [["query.workspace_id", "unknown_workspace"]]
      )
      const unsaid = yield* Effect.flip(listBudgetWarnings(caller([workspace.id, other.id]), page))
      assert.strictEqual(unsaid.reason, "workspace_id_required")
      assert.deepStrictEqual(
        (yield* listBudgetWarnings(
          { ...caller(), restrictions: { access: "read", resources: null, workspace_ids: null } },
          page
        )).total_count,
        2
      )
    }).pipe(Effect.provide(layer))
  )
})
