/** What a write that exceeds a quota is told, and when a counted request leaves its window. Rule: operating#storage-quotas. */
import { assert, describe, it } from "@effect/vitest"
import { contentFacts, fileOf, prepare } from "@gatewarden/conformance/internal/stores/accountFixture"
import { layerMemory } from "@gatewarden/core/internal"
import { Effect } from "effect"
import {
  StorageSettings,
  entityTooLarge,
  isInWindow,
  noRoom,
  quotaExceeded,
  quotaState,
  requireQuota,
  roomIn,
  usableQuota
} from "../../core/src/limits/requireQuota.ts"
import { Files } from "../../core/src/ports/files.ts"
import { type StorageLimits, defaultStorageLimits } from "../../core/src/ports/storageQuotas.ts"

const within =
  (limits: Partial<StorageLimits>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, StorageSettings, { ...defaultStorageLimits, ...limits })

/** The message of the refusal; `undefined`: it is let in. */
const refusal = <A, R>(asked: Effect.Effect<A, { readonly issues?: readonly { readonly message: string }[] }, R>) =>
  Effect.match(asked, { onSuccess: () => undefined, onFailure: ({ issues }) => issues?.map(({ message }) => message) })

/** An account with files of these sizes in its workspace. */
const accountWith = Effect.fnUntraced(function* (sizes: readonly number[]) {
  const { account_id, workspace_id } = yield* prepare
  const files = yield* Files
  for (const size_bytes of sizes) {
    const id = crypto.randomUUID()
    yield* files.reserve(account_id, workspace_id, fileOf(id))
    yield* files.publish(account_id, id, { ...contentFacts, size_bytes }, Infinity)
  }
  return { account_id, workspace_id }
})

describe("a storage quota", () => {
  it.effect("may be used up by management keys, and by half, rounded down, by API keys", () =>
    Effect.gen(function* () {
      const usable = (kind?: "normal" | "management" | "gateway") =>
        usableQuota("files_per_workspace", kind === undefined ? {} : { kind })
      assert.strictEqual(yield* usable("management"), 7)
      assert.strictEqual(yield* usable("gateway"), 7)
      assert.strictEqual(yield* usable(), 7)
      assert.strictEqual(yield* usable("normal"), 3)
    }).pipe(within({ files_per_workspace: 7 }))
  )

  it.effect("has room for what exactly fills it, and no more", () =>
    Effect.gen(function* () {
      const whose = yield* accountWith([300, 200])
      const asks = (more?: number, kind: "management" | "normal" = "management") =>
        refusal(requireQuota("file_bytes_per_account", { ...whose, kind }, more))
      assert.strictEqual(yield* roomIn("file_bytes_per_account", whose), 1_000)
      assert.isUndefined(yield* asks())
      assert.isUndefined(yield* asks(1_000))
      assert.isArray(yield* asks(1_001))
      assert.isUndefined(yield* asks(250, "normal"))
      assert.isArray(yield* asks(251, "normal"))
      assert.strictEqual(yield* roomIn("file_bytes_per_account", { ...whose, kind: "normal" }), 250)
    }).pipe(within({ file_bytes_per_account: 1_500 }), Effect.provide(layerMemory))
  )

  it.effect("is that of the workspace, or that of the account", () =>
    Effect.gen(function* () {
      const whose = yield* accountWith([1, 1, 1])
      const other = { ...whose, workspace_id: crypto.randomUUID() }
      assert.strictEqual(yield* roomIn("files_per_workspace", whose), 0)
      assert.strictEqual(yield* roomIn("files_per_workspace", other), 3)
      assert.strictEqual(yield* roomIn("file_bytes_per_account", other), 7)
      assert.strictEqual(yield* roomIn("file_bytes_per_account", yield* accountWith([])), 10)
    }).pipe(within({ files_per_workspace: 3, file_bytes_per_account: 10 }), Effect.provide(layerMemory))
  )

  it.effect("is named by its refusal, with what is kept, what may be, and who can do what", () =>
    Effect.gen(function* () {
      const whose = yield* accountWith([1_234_567, 1])
      const bytes = "This account keeps 1,234,568 bytes of files; the quota file_bytes_per_account is 1,000"
      const raise = "have the operator raise GATEWARDEN_MAX_FILE_BYTES_PER_ACCOUNT"
      assert.deepStrictEqual(yield* refusal(requireQuota("file_bytes_per_account", whose)), [
        `${bytes}. Delete what is not needed, or ${raise}`
      ])
      assert.deepStrictEqual(yield* refusal(noRoom("file_bytes_per_account", whose, "Wait a day")), [
        `${bytes}. Wait a day, or ${raise}`
      ])
      assert.deepStrictEqual(yield* refusal(requireQuota("file_bytes_per_account", { ...whose, kind: "normal" })), [
        `${bytes}, and API keys may use half of it. Delete what is not needed, use a management key, or ${raise}`
      ])
      assert.deepStrictEqual(yield* refusal(noRoom("files_per_workspace", whose)), [
        "This workspace keeps 2 files; the quota files_per_workspace is 10,000. Delete what is not needed, or have the operator raise GATEWARDEN_MAX_FILES_PER_WORKSPACE"
      ])
    }).pipe(within({ file_bytes_per_account: 1_000 }), Effect.provide(layerMemory))
  )

  it.effect("is refused as a whole, with 400 and the reason", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(quotaExceeded("versions_per_preset", {}, "It has 9", "Use another slug"))
      assert.deepStrictEqual(
        [failure._tag, failure.reason, failure.issues],
        [
          "BadRequest",
          "quota_exceeded",
          [
            {
              path: "",
              code: "quota_exceeded",
              message:
                "It has 9; the quota versions_per_preset is 1,000. Use another slug, or have the operator raise GATEWARDEN_MAX_VERSIONS_PER_PRESET"
            }
          ]
        ]
      )
    })
  )
})

describe("the window of a rate limit", () => {
  const at = (time: string) => Date.parse(`2026-03-04T${time}Z`)
  const now = at("12:00:00.000")
  const minute = { kind: "sliding", millis: 60_000 } as const
  const day = { kind: "utc_day" } as const

  it("that slides has the requests of less than its span ago", () => {
    assert.deepStrictEqual(
      [at("11:00:00.000"), now - 60_001, now - 60_000, now - 59_999, now].map((time) => isInWindow(minute, time, now)),
      [false, false, false, true, true]
    )
  })

  it("of a day has those from midnight UTC on", () => {
    const times = [at("00:00:00.000") - 1, at("00:00:00.000"), at("00:00:00.001"), now]
    assert.deepStrictEqual(
      times.map((time) => isInWindow(day, time, now)),
      [false, true, true, true]
    )
    assert.isTrue(isInWindow(day, at("00:00:00.000"), at("00:00:00.000")))
  })

  it("says what is left, and when there will be more: as the oldest leaves, or at midnight", () => {
    const times = [at("11:59:30.000"), at("11:59:50.000")]
    const quota = { bucket: "b", limit: 5 }
    assert.deepStrictEqual(quotaState({ ...quota, window: minute }, times, now), {
      remaining: 3,
      resetsAt: at("12:00:30.000")
    })
    assert.deepStrictEqual(quotaState({ ...quota, window: minute }, [], now), {
      remaining: 5,
      resetsAt: at("12:01:00.000")
    })
    assert.deepStrictEqual(quotaState({ ...quota, window: day }, times, now), {
      remaining: 3,
      resetsAt: at("00:00:00.000") + 86_400_000
    })
  })
})

describe("an entity that is too large", () => {
  const longest = (sent: object) =>
    entityTooLarge("guardrail", { oversized: 1_048_577, most: 1_048_576 }, sent).issues?.[0]?.path

  it("is refused with its size, the limit, and the longest field that was sent", () => {
    const failure = entityTooLarge("credential", { oversized: 23_456, most: 16_384 }, { name: "a", models: ["b", "c"] })
    assert.deepStrictEqual(
      [failure._tag, failure.reason, failure.issues],
      [
        "BadRequest",
        "invalid_request",
        [
          {
            path: "models",
            code: "too_big",
            message: "The credential would take 23,456 bytes as JSON; the limit is 16,384. Shorten its lists and texts"
          }
        ]
      ]
    )
  })

  it("names the first of two that are as long, and one that stands alone", () => {
    assert.strictEqual(longest({ a: "12", b: "34", c: 5 }), "a")
    assert.strictEqual(longest({ c: 5, a: "12", b: "34" }), "a")
    assert.strictEqual(longest({ a: 1 }), "a")
    assert.strictEqual(longest({ a: undefined, b: 1 }), "b")
  })
})
