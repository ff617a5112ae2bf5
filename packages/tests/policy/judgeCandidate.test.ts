/** What is objected to a candidate, to its region and to the models of tools, word by word. Rule: guardrails#effective-policy. */
import { assert, describe, it } from "@effect/vitest"
import type { Guardrail, ProviderPreferences, Region } from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { type Candidate, candidateOf, policedModel } from "../../core/src/policy/Candidate.ts"
import { compilePolicy } from "../../core/src/policy/CompiledPolicy.ts"
import { openRegions } from "../../core/src/policy/Policy.ts"
import {
  type SharedObjections,
  objectionsTo,
  permits,
  regionObjections,
  toolModelObjections
} from "../../core/src/policy/judgeCandidate.ts"
import type { RequestTerms } from "../../core/src/policy/requestRules.ts"
import { printedEdit } from "../../core/src/policy/smallestChange.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"
import type { AppliedGuardrail } from "../../core/src/ports/policySources.ts"
import type { Objection } from "../../core/src/value/issues.ts"

const applied = (scope: AppliedGuardrail["scope"], fields: Partial<Guardrail>): AppliedGuardrail => ({
  scope,
  guardrail: {
    ...unrestricted,
    id: `of ${scope}`,
    workspace_id: "w",
    name: scope,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: null,
    ...fields
  }
})

/** `a/old` is another name of `a/one`. */
const compiled = (...guardrails: readonly AppliedGuardrail[]) =>
  compilePolicy(guardrails, (name) => (name === "a/old" ? "a/one" : name))

const candidateAt = (provider: string, fields: Partial<Candidate> = {}): Candidate => ({
  ...candidateOf(catalogModel("a/one"), catalogEndpoint(provider), new Map()),
  ...fields
})

const anywhere: RequestTerms = { ingress_region: "global", provider: {} }

/** Judged one after the other, as candidates of one request. */
const edits = (
  policy: ReturnType<typeof compiled>,
  provider: ProviderPreferences,
  ...names: readonly (readonly string[])[]
) => {
  const shared: SharedObjections = new Map()
  return names.map((provider_names) =>
    objectionsTo(
      policy,
      { ...anywhere, provider },
      candidateAt("acme", { provider: provider_names[0] ?? "", provider_names }),
      shared
    ).map(({ edit }) => edit && printedEdit(edit).to)
  )
}

const told = ({ reason, edit }: Objection) => ({ reason, edit: edit && printedEdit(edit) })

describe("objectionsTo", () => {
  it("goes by scope: workspace, member, key, however the guardrails are listed", () => {
    const ignoring = { ignored_providers: ["acme"] }
    const scopes = ["key", "workspace", "member"] as const
    const policy = compiled(...scopes.map((scope) => applied(scope, ignoring)))
    const found = objectionsTo(policy, anywhere, candidateAt("acme"))
    assert.deepEqual(
      found.map(({ reason }) => [reason.scope, reason.guardrail_id]),
      [
        ["workspace", "of workspace"],
        ["member", "of member"],
        ["key", "of key"]
      ]
    )
  })

  it("leaves the list of guardrails as it is", () => {
    const listed = (["key", "workspace"] as const).map((scope) => applied(scope, {}))
    compilePolicy(listed, (name) => name)
    assert.deepEqual(
      listed.map(({ scope }) => scope),
      ["key", "workspace"]
    )
  })

  it("tells of a private endpoint without a credential, which no edit brings", () => {
    const lacking = candidateAt("acme", { lacks_credential: true })
    assert.deepEqual(objectionsTo(compiled(), anywhere, lacking), [
      { reason: { scope: "credential", guardrail_id: null, field: "byok", value: "acme" }, edit: null }
    ])
    assert.isFalse(permits(compiled(), anywhere, lacking))
  })

  it("has the entry of a list that stands for the model by another name of it", () => {
    const policy = compiled(applied("key", { ignored_models: ["b/two", "a/old"] }))
    const found = objectionsTo(policy, anywhere, candidateAt("acme"))
    const at = { scope: "key", guardrail_id: "of key", field: "ignored_models" } as const
    assert.deepEqual(found.map(told), [
      { reason: { ...at, value: "a/old" }, edit: { ...at, from: ["b/two", "a/old"], to: ["b/two"] } }
    ])
  })

  it("takes two providers for one only if all of their names are the same", () => {
    const [ab, bc] = [
      ["ab", "c"],
      ["a", "bc"]
    ] as const
    const ignoring = compiled(applied("key", { ignored_providers: ["ab", "a"] }))
    assert.deepEqual(edits(ignoring, {}, ab, bc, ab), [[["a"]], [["ab"]], [["a"]]])
    const allowing = compiled(applied("key", { allowed_providers: ["z"] }))
    assert.deepEqual(edits(allowing, {}, ab, bc), [[["z", "ab"]], [["z", "a"]]])
    assert.deepEqual(edits(compiled(), { ignore: ["ab", "a"] }, ab, bc), [[["a"]], [["ab"]]])
    assert.deepEqual(edits(compiled(), { only: ["z"] }, ab, bc), [[["z", "ab"]], [["z", "a"]]])
  })

  it("has the same objection for candidates of the same provider", () => {
    const shared: SharedObjections = new Map()
    const policy = compiled(applied("key", { ignored_providers: ["acme"] }))
    const [[a], [b]] = ["1", "2"].map((byok_id) =>
      objectionsTo(policy, anywhere, candidateAt("acme", { byok_id }), shared)
    ) as [readonly object[], readonly object[]]
    assert.isDefined(a)
    assert.strictEqual(a, b)
  })
})

describe("toolModelObjections", () => {
  const [one, two] = [policedModel("a/one", catalogModel("a/one")), policedModel("b/two", undefined)]

  it("judges each model by each guardrail, and providers not at all", () => {
    const policy = compiled(
      applied("key", { allowed_models: ["a/one"], allowed_providers: ["none"] }),
      applied("workspace", { ignored_models: ["a/one", "b/two"] })
    )
    const told = toolModelObjections(policy, [one, two]).map(({ reason, edit }) => [
      reason.scope,
      reason.field,
      reason.value,
      edit && printedEdit(edit).to
    ])
    assert.deepEqual(told, [
      ["workspace", "ignored_models", "a/one", ["b/two"]],
      ["workspace", "ignored_models", "b/two", ["a/one"]],
      ["key", "allowed_models", ["a/one"], ["a/one", "b/two"]]
    ])
  })

  it("has nothing against models that every guardrail allows", () => {
    assert.deepEqual(toolModelObjections(compiled(applied("key", { allowed_models: ["a/one"] })), [one]), [])
    assert.deepEqual(toolModelObjections(compiled(applied("key", { allowed_models: ["a/one"] })), []), [])
  })
})

const open = (...allowed_data_regions: Region[]): Partial<Guardrail> => ({ allowed_data_regions })

describe("regionObjections", () => {
  it("comes from every guardrail that does not allow the region, each with the list that would", () => {
    const policy = compiled(
      applied("workspace", open("us")),
      applied("member", open("global", "us")),
      applied("key", open("us", "europe"))
    )
    const from = (ingress_region: Region) => regionObjections(policy, { ...anywhere, ingress_region }).map(told)
    const at = { scope: "workspace", guardrail_id: "of workspace", field: "allowed_data_regions" } as const
    const ofKey = { scope: "key", guardrail_id: "of key", field: "allowed_data_regions" } as const
    assert.deepEqual(from("global"), [
      { reason: { ...at, value: ["us"] }, edit: { ...at, from: ["us"], to: ["us", "global"] } },
      {
        reason: { ...ofKey, value: ["us", "europe"] },
        edit: { ...ofKey, from: ["us", "europe"], to: ["us", "europe", "global"] }
      }
    ])
    assert.deepEqual(from("us"), [])
  })

  it("is none where no guardrail names regions", () => {
    assert.deepEqual(regionObjections(compiled(applied("key", {})), anywhere), [])
    assert.deepEqual(regionObjections(compiled(), anywhere), [])
  })
})

describe("openRegions", () => {
  it("has the regions that every guardrail allows, in the order of the contract", () => {
    const regions = (...lists: readonly Region[][]) =>
      openRegions(compiled(...lists.map((list) => applied("key", open(...list)))).effective)
    assert.deepEqual(regions(), ["global", "europe", "us"])
    assert.deepEqual(regions(["us", "global"]), ["global", "us"])
    assert.deepEqual(regions(["us", "global"], ["europe", "us"]), ["us"])
    assert.deepEqual(regions(["us"], ["europe"]), [])
    assert.deepEqual(openRegions(compiled(applied("key", {}), applied("key", open("us"))).effective), ["us"])
    assert.deepEqual(openRegions(compiled(applied("key", open("us")), applied("key", {})).effective), ["us"])
  })
})
