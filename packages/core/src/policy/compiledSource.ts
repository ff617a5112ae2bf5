/** Reads and compiles what applies to a key, through the cache. */
import { Effect, Option } from "effect"
import { joinVariant } from "../catalog/resolveModelName.ts"
import { compileFilters } from "../filter/CompiledFilters.ts"
import { defaultGuardrailId } from "../ports/guardrails.ts"
import { ModelCatalog } from "../ports/models.ts"
import { type AppliedGuardrail, type PolicySource, PolicySources } from "../ports/policySources.ts"
import { compilePolicy } from "./CompiledPolicy.ts"
import { type CompiledSource, DecisionCache } from "./DecisionCache.ts"

/** Guardrails name models by slug or canonical slug; requests are compared by the name under which usage is recorded. */
const compileGuardrails = Effect.fnUntraced(function* (account_id: string, guardrails: readonly AppliedGuardrail[]) {
  const names = new Set(
    guardrails.flatMap(({ guardrail }) => [...(guardrail.allowed_models ?? []), ...(guardrail.ignored_models ?? [])])
  )
  const resolved = names.size === 0 ? undefined : yield* (yield* ModelCatalog).resolve(account_id, [...names])
  return compilePolicy(guardrails, (name) => {
    const model = resolved?.get(name)
    return model === undefined ? name : joinVariant(model)
  })
})

/** What applies to a key, with its guardrails compiled. */
export const compileSource = Effect.fnUntraced(function* (source: PolicySource) {
  const { key, guardrails } = source
  return {
    ...source,
    policy: yield* compileGuardrails(key.account_id, guardrails),
    filters: compileFilters(guardrails),
    default_guardrail_id: key.workspace_id === null ? null : defaultGuardrailId(key.workspace_id)
  } satisfies CompiledSource
})

/** `secret_hash`: of the key, or of any secret of it. Whether that one still opens the key is for the caller to judge (`endOfSecret`). */
export const compiledSource = Effect.fnUntraced(function* (account_id: string, secret_hash: string) {
  const { sourcesBySecret } = yield* DecisionCache
  return yield* sourcesBySecret.get(secret_hash, lookUpSource(account_id), account_id)
})

const lookUpSource = (account_id: string) =>
  Effect.fnUntraced(function* (hash: string) {
    const found = yield* (yield* PolicySources).of(account_id, hash)
    if (Option.isNone(found)) return Option.none<CompiledSource>()
    return Option.some(yield* compileSource(found.value))
  })
