/** Updates that share a statement write what each of them says, whatever column it is. */
import { createAccount, type GuardrailChange, Guardrails, isOversized, unrestricted } from "@gatewarden/core/internal"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const at = "2026-03-04T12:00:00.000Z"

type Values = { readonly [Field in keyof GuardrailChange]-?: NonNullable<GuardrailChange[Field]> }

/** `n` makes each guardrail's value another one, where there are as many. */
const valuesOf = (n: number): Values => ({
  name: `guardrail "${n}"`,
  description: `made for ${n}`,
  allowed_data_regions: ["europe"],
  allowed_models: [`acme/model-${n}`, "a, {b}"],
  allowed_providers: [`provider-${n}`],
  ignored_models: [`acme/other-${n}`],
  ignored_providers: ["other"],
  content_filter_builtins: [{ slug: "email", action: "redact", label: `[${n}]` }],
  content_filters: [{ pattern: `number ${n}`, action: "block", label: `[${n}]` }],
  content_filter_unscannable: "block",
  enable_free_model_publication: n % 2 === 0,
  enable_free_model_training: n % 2 === 0,
  enable_paid_model_training: n % 2 === 0,
  enforce_zdr: n % 2 === 0,
  enforce_zdr_anthropic: n % 2 === 0,
  enforce_zdr_openai: n % 2 === 0,
  enforce_zdr_google: n % 2 === 0,
  enforce_zdr_xai: n % 2 === 0,
  enforce_zdr_other: n % 2 === 0,
  include_byok_in_budgets: n % 2 === 0,
  limit_usd: 9_000_000 + n / 1_000,
  reset_interval: "monthly"
})

describe("updates that share a statement", () => {
  const runtime = ManagedRuntime.make(
    layerStore.pipe(
      Layer.provideMerge(
        Layer.unwrap(
          Effect.map(
            Effect.promise(() => createDatabase(inject("postgres"))),
            (url) => layerPostgres({ url: Redacted.make(url) })
          )
        )
      ),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
  afterAll(() => runtime.dispose())

  it("write what each of them says, in every column", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const made = yield* createAccount(`account ${crypto.randomUUID()}`)
        if (made === undefined) return yield* Effect.die(new Error("account exists"))
        const account_id = made.account.id
        const guardrails = yield* Guardrails
        const sql = yield* SqlClient.SqlClient
        const ids = Array.from({ length: 6 }, () => crypto.randomUUID() as string)
        const row = { ...unrestricted, workspace_id: made.workspace.id, name: "a", created_at: at, updated_at: null }
        for (const id of ids) yield* guardrails.insert(account_id, { ...row, id })
        const defaults: GuardrailChange = unrestricted
        for (const field of Object.keys(valuesOf(0)) as (keyof Values)[])
          for (const asked of [(n: number) => valuesOf(n)[field], ...(defaults[field] === null ? [() => null] : [])]) {
            const answers = yield* Effect.forEach(
              ids,
              (id, n) => guardrails.update(account_id, id, { [field]: asked(n) } as GuardrailChange, at),
              { concurrency: "unbounded" }
            )
            // Where the database refuses what they share, each is sent again alone.
            const [written] = yield* sql`
              select count(distinct xmin::text)::int as times from gatewarden_guardrail where account_id = ${account_id}`
            assert.isBelow(Number(written?.["times"]), ids.length, field)
            assert.deepStrictEqual(
              answers.map((answer) => (typeof answer === "string" || isOversized(answer) ? answer : answer[field])),
              ids.map((_, n) => asked(n)),
              field
            )
          }
      })
    ))
})
