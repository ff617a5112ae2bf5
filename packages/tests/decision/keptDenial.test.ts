/** What is stored of a denial: bounded, true, and with the reasons that fit. */
import type { DeniedAdmission } from "@gatewarden/contract/internal"
import { assert, it } from "@effect/vitest"
import { keptDenial } from "../../core/src/decision/keptDenial.ts"

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** A denial with so many reasons, whose values have so many characters. */
const denial = (values: readonly string[], message = "Denied.", metadata: object = {}): DeniedAdmission => ({
  id: "x".repeat(400),
  decision: "deny",
  status: 404,
  error: { code: 404, message, metadata: { reason: "no_endpoint_allowed", doc_url: "../errors/x", ...metadata } },
  ...{
    candidates: [],
    messages: null,
    fields: null,
    holds: [],
    grant: { max_completion_tokens: null },
    expires_at: null
  },
  findings: [{ guardrail_id: crypto.randomUUID(), filter: "email", action: "flag", count: 1 }],
  reasons: values.map((value) => ({ scope: "request", guardrail_id: null, field: "provider.only", value })),
  issues: values.map((value) => ({ path: "provider.only", code: "request", message: value }))
})

it("keeps a short denial whole, except for the types of message parts", () => {
  const short = denial(["a", "b"])
  assert.deepStrictEqual(keptDenial(short), short)
  assert.deepStrictEqual(keptDenial(denial(["a"], "Denied.", { parts: ["jane"] })).error, short.error)
})

it("keeps the reasons that fit 4 KiB, each with its issue", () => {
  const long = denial(["a", "b".repeat(4_000), "c", ...Array.from({ length: 100 }, (_, index) => `d${index}`)])
  const kept = keptDenial(long)
  assert.isAtMost(bytesOf(kept), 4_096)
  assert.isAbove(bytesOf(kept), 3_500)
  assert.deepStrictEqual(kept.findings, [])
  assert.deepStrictEqual(
    kept.reasons.slice(0, 3).map(({ value }) => value),
    ["a", "c", "d0"]
  )
  assert.deepStrictEqual(
    kept.issues.map(({ message }) => message),
    kept.reasons.map(({ value }) => value)
  )
  assert.deepStrictEqual(
    { ...kept, findings: [], reasons: [], issues: [] },
    { ...long, findings: [], reasons: [], issues: [] }
  )
})

it("stays below 4 KiB whatever is long, and names the first rule", () => {
  const controls = "\u0001".repeat(9_000)
  const kept = keptDenial(denial([controls, controls], controls, { patterns: [controls] }))
  assert.isAtMost(bytesOf(kept), 4_096)
  assert.deepStrictEqual(kept.reasons, [{ scope: "request", guardrail_id: null, field: "provider.only", value: null }])
  assert.match(kept.issues[0]?.message ?? "", /^\u0001{160}…$/)
  assert.match(kept.error.message, /^\u0001{160}…$/)
  assert.deepStrictEqual(kept.error.metadata, { reason: "no_endpoint_allowed", doc_url: "../errors/x" })
})

it("stores an availability beside its copy in the metadata, or neither", () => {
  const withModels = (requested_models: readonly string[]) => {
    const long = denial(["a".repeat(5_000)])
    const availability = {
      code: "model_not_found" as const,
      retryable: false,
      requested_models: [...requested_models],
      docs_url: "../errors/x"
    }
    return keptDenial({
      ...long,
      error: { ...long.error, availability, metadata: { ...long.error.metadata, availability } }
    })
  }
  const short = withModels(["acme/nothing"])
  assert.deepStrictEqual(short.error.availability?.requested_models, ["acme/nothing"])
  assert.deepStrictEqual(short.error.metadata["availability"], short.error.availability)
  const long = withModels(["m".repeat(600)])
  assert.isAtMost(bytesOf(long), 4_096)
  assert.notProperty(long.error, "availability")
  assert.notProperty(long.error.metadata, "availability")
})
