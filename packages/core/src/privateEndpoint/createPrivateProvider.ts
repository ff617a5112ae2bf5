import { type CreatePrivateProvider, type PrivateProvider, privateProvidersPerAccount } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { ProviderTable } from "../byok/ProviderTable.ts"
import { Conflict, invalid } from "../value/failure.ts"
import { foldName } from "../catalog/foldedNames.ts"
import { ModelCatalog } from "../ports/models.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { requireDataPolicy } from "./requireDataPolicy.ts"
import { requireDeploymentUrl } from "./deployment.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"

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
  const names = [...new Set([name, slug].map(foldName))]
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
