import type { UpdatePrivateProvider } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { sentFields } from "../value/sentFields.ts"
import { requireDeploymentUrl } from "./deployment.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"
import { requireDataPolicy } from "./requireDataPolicy.ts"

/** Rule: models#private-providers, requests#patches. */
export const updatePrivateProvider = operation("updatePrivateProvider")(function* (
  { account_id }: Caller,
  slug: string,
  fields: UpdatePrivateProvider
) {
  const providers = yield* PrivateProviders
  const found = yield* providers.find(account_id, slug)
  if (Option.isNone(found)) return yield* notFound()
  yield* requireDeploymentUrl(fields.base_url, "base_url")
  const { data_policy: policy, ...others } = fields
  const change = sentFields(others, ["headquarters", "privacy_policy_url"], ["display_name", "base_url", "datacenters"])
  const before = found.value.data_policy
  const data_policy = policy && {
    training: policy.training ?? before.training,
    retains_prompts: policy.retains_prompts ?? before.retains_prompts,
    // Who stops retaining need not say for how long.
    prompt_retention_days:
      policy.prompt_retention_days === undefined
        ? policy.retains_prompts === false
          ? null
          : before.prompt_retention_days
        : policy.prompt_retention_days
  }
  if (data_policy !== undefined) yield* requireDataPolicy(data_policy)
  const updated = yield* providers.update(account_id, slug, {
    ...change,
    ...(data_policy === undefined ? {} : { data_policy })
  })
  return Option.isSome(updated) ? updated.value : yield* notFound()
})
