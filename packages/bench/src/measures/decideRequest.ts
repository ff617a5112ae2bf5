/** The pure decision: `permittedCandidates` over 20 candidates, and `compilePolicy` of three guardrails with 100 models each. */
import type { CatalogEndpoint, Guardrail } from "@gatewarden/contract"
import {
  candidateOf,
  compilePolicy,
  firstPartyProviders,
  type GuardrailScope,
  permittedCandidates,
  unrestricted
} from "@gatewarden/core/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import type { Reading } from "../Measure.ts"

const names = Array.from({ length: 130 }, (_, index) => `author-${index % 7}/model-${index}`)

const guardrail = (first: number): Guardrail => ({
  ...unrestricted,
  id: `00000000-0000-4000-8000-00000000000${first % 10}`,
  workspace_id: "00000000-0000-4000-8000-000000000000",
  name: "bench",
  allowed_models: names.slice(first, first + 100),
  ignored_providers: ["provider-1"],
  enforce_zdr_openai: true,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null
})

const applied = (["workspace", "member", "key"] as const).map((scope: GuardrailScope, index) => ({
  scope,
  guardrail: guardrail(index * 10 + index)
}))

const endpoint = (index: number): CatalogEndpoint =>
  catalogEndpoint(`provider-${index % 6}`, {
    tag: `provider-${index % 6}/fp8`,
    context_length: 100_000,
    pricing: { prompt: "0.000003", completion: "0.000015" }
  })

const prepare = () => {
  const vendors = new Map(Object.entries(firstPartyProviders))
  const compile = () => compilePolicy(applied, (name) => name)
  const question = {
    policy: compile(),
    terms: { ingress_region: "global", provider: {} } as const,
    models: names,
    is_listed: true,
    candidates: Array.from({ length: 20 }, (_, index) =>
      candidateOf(catalogModel(names[index * 5] ?? ""), endpoint(index), vendors)
    ),
    objections: []
  }
  return { compile, decide: () => permittedCandidates(question) }
}

const samples = 4_000

/** Microseconds that one call takes: the quantile of samples of `calls` calls each, after as many to get going. */
const quantile = (work: () => unknown, calls: number, share: number): number => {
  const taken: number[] = []
  for (let sample = 0; sample < 2 * samples; sample++) {
    const start = performance.now()
    for (let call = 0; call < calls; call++) work()
    if (sample >= samples) taken.push(((performance.now() - start) * 1000) / calls)
  }
  return taken.sort((a, b) => a - b)[Math.floor(share * (samples - 1))] ?? Number.NaN
}

const reading = (
  name: string,
  atMost: number | undefined,
  read: (prepared: ReturnType<typeof prepare>) => number
): Reading => ({
  kind: "reading",
  name,
  unit: "µs",
  atMost,
  gated: false,
  read: async () => ({ value: read(prepare()) })
})

export const decideRequest: readonly Reading[] = [
  reading("permittedCandidates: 20 candidates, 3 guardrails of 100 models, median", 2, ({ decide }) =>
    quantile(decide, 50, 0.5)
  ),
  reading("permittedCandidates: the same, 99th percentile", undefined, ({ decide }) => quantile(decide, 50, 0.99)),
  reading("compilePolicy: 3 guardrails of 100 models, median", 50, ({ compile }) => quantile(compile, 1, 0.5))
]
