import {
  type CreatePrivateProvider,
  type PrivateProvider,
  type UpdatePrivateProvider,
  privateProvidersPerAccount
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { ProviderTable, requireProvider } from "../byok/byok.ts"
import { foldModelName } from "../catalog/modelNames.ts"
import { ModelCatalog } from "../ports/models.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"
import { operation } from "../tracing/operation.ts"
import { sentFields } from "../value/sentFields.ts"
import { timestamp } from "../value/calendar.ts"
import { Conflict, invalid, notFound } from "../value/failure.ts"
import { requireDataPolicy, requireDeploymentUrl } from "./privateEndpoint.ts"

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "")

const taken = () =>
  new Conflict({
    reason: "private_provider_exists",
    issues: [{ path: "name", code: "private_provider_exists", message: "A provider has this name or slug already" }]
  })

/** Rule: models#private-providers. */
export const createPrivateProvider = operation("createPrivateProvider")(function* (
  { account_id }: Caller,
  { name, base_url, data_policy, ...fields }: CreatePrivateProvider
) {
  yield* requireDeploymentUrl(base_url, "base_url")
  yield* requireDataPolicy(data_policy)
  const provider: PrivateProvider = {
    name,
    slug: slugOf(name),
    display_name: fields.display_name,
    base_url,
    data_policy,
    headquarters: fields.headquarters ?? null,
    datacenters: fields.datacenters ?? [],
    privacy_policy_url: fields.privacy_policy_url ?? null,
    created_at: yield* timestamp
  }
  const { slug } = provider
  const names = [...new Set([name, slug].map(foldModelName))]
  const isKnown = (yield* ProviderTable).has(slug)
  if (isKnown || (yield* (yield* ModelCatalog).providersNamed(null, names)).length > 0) return yield* taken()
  switch (yield* (yield* PrivateProviders).insert(account_id, provider, privateProvidersPerAccount)) {
    case "inserted":
      return provider
    case "taken":
      return yield* taken()
    case "full":
      return yield* invalid(
        "quota_exceeded",
        "",
        `An account has at most ${privateProvidersPerAccount} private providers`
      )
  }
})

/** Rule: models#private-providers. */
export const deletePrivateProvider = operation("deletePrivateProvider")(function* (
  { account_id }: Caller,
  slug: string
) {
  const outcome = yield* (yield* PrivateProviders).remove(account_id, slug)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "used") return yield* new Conflict({ reason: "private_provider_in_use" })
  return { slug }
})

/** Rule: models#private-providers. */
export const getPrivateProvider = operation("getPrivateProvider")(function* ({ account_id }: Caller, slug: string) {
  const found = yield* (yield* PrivateProviders).find(account_id, slug)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: models#private-providers. */
export const listPrivateProviders = operation("listPrivateProviders")(function* ({ account_id }: Caller) {
  return { data: [...(yield* (yield* PrivateProviders).list(account_id))] }
})

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

/** The provider of a private endpoint with the name that is shown: a private one of the account, or one that BYOK credentials can be for. */
export const requireUpstreamProvider = Effect.fnUntraced(function* ({ account_id }: Caller, slug: string) {
  const found = yield* (yield* PrivateProviders).find(account_id, slug)
  if (Option.isSome(found)) return { provider: found.value, provider_name: found.value.display_name }
  yield* requireProvider(account_id, slug, "provider_slug")
  const named = yield* (yield* ModelCatalog).providersNamed(account_id, [foldModelName(slug)])
  const known = named.find(({ provider_slug }) => provider_slug === slug)
  return { provider: undefined, provider_name: known?.provider_name ?? slug }
})
