import { assert, describe, it } from "@effect/vitest"
import { formatUsd, parseUsd } from "@gatewarden/core/store"
import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { chargesByDay, chargesOf } from "../../node/src/control/charges.ts"
import { emptyEvent } from "../../conformance/src/usage/emptyEvent.ts"
import { checkFocus, type Row } from "../usage/checkFocus.ts"
import { commandHere, keyring, temporaryDirectory } from "./gatewarden.ts"

const event = (id: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  id,
  created_at: "2026-03-01T10:00:00.250Z",
  model: "acme/sonnet:free",
  provider: "acme",
  prompt_tokens: 10,
  completion_tokens: 5,
  cost_usd: "0.100000001",
  ...fields
})

const largest = 9_007_199_254_740_991

/** Two days, two users, a corrected request, one of the account's own credentials, and one that was refused. */
const events = [
  event("a", { user_id: "anna", classifiers: { topic: { team: "red", kind: "=x" } } }),
  event("b", {
    user_id: "anna",
    classifiers: { topic: { kind: "=x", team: "red" } },
    created_at: "2026-03-01T23:59:59.999Z"
  }),
  event("c", { user_id: 'b,"o\nb', endpoint_tag: "acme/eu", data_region: "europe" }),
  event("d", { created_at: "2026-03-31T12:00:00Z", cost_usd: "0", byok: true, byok_cost_usd: "7.000000009" }),
  event("e", { created_at: "2026-03-31T12:00:00Z", prompt_tokens: largest, completion_tokens: largest }),
  event("f", { status: "blocked", prompt_tokens: 0, completion_tokens: 0, cost_usd: "0", data_region: "global" }),
  event("g", { created_at: "2026-02-28T23:59:59Z", user_id: "  ", app: "'+x" })
]

const late = { ...event("late"), adjusts: "a", prompt_tokens: 4, completion_tokens: 0, cost_usd: "0.05" }

const succeeds = async (args: readonly string[], environment: Readonly<Record<string, string>>) => {
  const ended = await commandHere(args, environment)
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.stdout
}

const sumOf = (rows: readonly Row[], name: string): bigint =>
  rows.reduce((sum, row) => {
    const text = row[name] ?? ""
    return text.startsWith("-") ? sum - (parseUsd(text.slice(1)) ?? 0n) : sum + (parseUsd(text) ?? 0n)
  }, 0n)

const recorded = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const environment = yield* Effect.promise(async () => {
    const DATABASE_URL = await createMigratedDatabase(inject("postgres"))
    const made = { DATABASE_URL, GATEWARDEN_KEYRING: keyring }
    const given = join(directory, "given.ndjson")
    for (const lines of [events, [late]]) {
      await writeFile(given, lines.map((one) => `${JSON.stringify(one)}\n`).join(""))
      await succeeds(["usage", "import", given], made)
    }
    await succeeds(["credits", "grant", "12.5", "--note", 'spring, "all"'], made)
    await succeeds(["credits", "revoke", "2.5"], made)
    // The adjustment was recorded when its month was over, the other events while it was not.
    await execute(
      DATABASE_URL,
      "update gatewarden_usage_event set recorded_at = case when adjusts is null then created_at else timestamptz '2026-04-01T00:05:00Z' end",
      "update gatewarden_credit_grant set created_at = timestamptz '2026-03-05T01:02:03Z'"
    )
    return made
  })
  return { directory, environment }
})

describe("gatewarden usage export --format focus", () => {
  it.live("is what FOCUS wants, and its sums are those of the invoice [usage#focus]", () =>
    Effect.gen(function* () {
      const { directory, environment } = yield* recorded
      yield* Effect.promise(async () => {
        const path = join(directory, "focus.csv")
        const report = await succeeds(["usage", "export", "--format", "focus", "--out", path, "--json"], environment)
        const { rows, wrong } = checkFocus(await readFile(path, "utf8"))
        assert.deepEqual(wrong, [])
        assert.deepEqual(JSON.parse(report), { file: path, format: "focus", rows: rows.length })

        const usage = rows.filter((row) => row["ChargeCategory"] === "Usage")
        const march = usage.filter((row) => row["BillingPeriodStart"] === "2026-03-01T00:00:00Z")
        const invoice = JSON.parse(
          await succeeds(["invoices", "--month", "2026-03", "--by", "user", "--json"], environment)
        ).total
        assert.strictEqual(formatUsd(sumOf(march, "BilledCost")), invoice.cost_usd)
        assert.strictEqual(formatUsd(sumOf(march, "x_ByokCost")), invoice.byok_cost_usd)
        assert.strictEqual(new Set(march.map((row) => row["InvoiceId"])).size, 1)
        assert.notStrictEqual(usage[0]?.["InvoiceId"], march[0]?.["InvoiceId"])

        const days = usage.map((row) => row["ChargePeriodStart"])
        assert.deepEqual(days, days.toSorted())
        // Two requests of one day and of the same names and tags are one charge.
        const [both] = march.filter((row) => row["x_UserId"] === "anna" && row["ChargeClass"] === "")
        assert.deepInclude(both, {
          BilledCost: "0.200000002",
          ConsumedQuantity: "30",
          ConsumedUnit: "Tokens",
          HostProviderName: "acme",
          SkuId: "acme/sonnet:free",
          SubAccountName: "Default",
          Tags: '{"topic/kind":"=x","topic/team":"red"}',
          x_Requests: "2"
        })
        const [correction, ...more] = usage.filter((row) => row["ChargeClass"] === "Correction")
        assert.lengthOf(more, 0)
        assert.deepInclude(correction, {
          BilledCost: "-0.050000001",
          ChargePeriodStart: "2026-03-01T00:00:00Z",
          ConsumedQuantity: "-11",
          x_Requests: "0",
          x_UserId: "anna"
        })
        assert.deepInclude(
          usage.find((row) => row["x_ByokRequests"] === "1"),
          {
            BilledCost: "0.100000001",
            ConsumedQuantity: "18014398509481997",
            x_ByokCost: "7.000000009",
            x_Requests: "2"
          }
        )
        assert.deepInclude(
          usage.find((row) => row["RegionId"] === "europe"),
          { RegionName: "Europe", SkuPriceId: "acme/sonnet:free at acme/eu", x_UserId: 'b,"o\nb' }
        )
        assert.deepInclude(
          usage.find((row) => row["ChargePeriodStart"] === "2026-02-28T00:00:00Z"),
          {
            BillingPeriodEnd: "2026-03-01T00:00:00Z",
            ChargePeriodEnd: "2026-03-01T00:00:00Z",
            x_UserId: "",
            x_App: "''+x"
          }
        )
        const credits = rows.filter((row) => row["ChargeCategory"] === "Credit")
        assert.sameDeepMembers(
          credits.map((row) => [
            row["BilledCost"],
            row["ChargeDescription"],
            row["InvoiceId"],
            row["ChargePeriodStart"]
          ]),
          [
            ["-12.5", 'spring, "all"', "", "2026-03-05T00:00:00Z"],
            ["2.5", "Credit revoked", "", "2026-03-05T00:00:00Z"]
          ]
        )
      })
    })
  )

  it.live("has the credits of its time, and none beside a part of the usage", () =>
    Effect.gen(function* () {
      const { directory, environment } = yield* recorded
      yield* Effect.promise(async () => {
        const path = join(directory, "focus.csv")
        const exported = async (...args: readonly string[]) => {
          await succeeds(["usage", "export", "--format", "focus", "--out", path, ...args], environment)
          return checkFocus(await readFile(path, "utf8"))
        }
        const categories = async (...args: readonly string[]) => {
          const { rows, wrong } = await exported(...args)
          assert.deepEqual(wrong, [])
          return [...new Set(rows.map((row) => row["ChargeCategory"]))]
        }
        assert.deepEqual(await categories("--start", "2026-03-05T00:00:00Z"), ["Usage", "Credit"])
        assert.deepEqual(await categories("--end", "2026-03-05T01:02:03Z"), ["Usage"])
        assert.deepEqual(await categories("--start", "2026-03-05T01:02:04Z"), ["Usage"])
        assert.deepEqual(await categories("--user", "anna"), ["Usage"])
        const { rows } = await exported("--issuer", "Example Ltd", "--user", "anna", "--no-csv-safe")
        assert.deepEqual(
          [
            ...new Set(
              rows.flatMap((row) => [row["InvoiceIssuerName"], row["ServiceProviderName"], row["ProviderName"]])
            )
          ],
          ["Example Ltd"]
        )
      })
    })
  )

  it("holds no more charges than it was told, and loses none", () => {
    const use = (user_id: string, day: number) => ({
      ...emptyEvent,
      id: user_id,
      model: "acme/sonnet",
      user_id,
      cost_nanos: 1n,
      created_at: `2026-03-0${day}T00:00:00.000Z`,
      recorded_at: `2026-03-0${day}T00:00:00.000Z`
    })
    const byDay = chargesByDay(2)
    const given = [use("a", 1), use("b", 1), use("c", 1), use("a", 1), use("a", 2)]
    const out = [...given.flatMap((one) => byDay.add(chargesOf([one]))), byDay.rest()]
    assert.deepEqual(
      out.map((charges) => charges.map(({ of, sums }) => [of.day, of.user_id, sums.cost_nanos])),
      [
        [
          ["2026-03-01", "a", 1n],
          ["2026-03-01", "b", 1n]
        ],
        [
          ["2026-03-01", "c", 1n],
          ["2026-03-01", "a", 1n]
        ],
        [["2026-03-02", "a", 1n]]
      ]
    )
  })
})
