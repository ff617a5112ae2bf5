/** Where a private endpoint is: the address and the model's name there. */
import type { PrivateEndpointStatus, PrivateProvider } from "@gatewarden/contract"
import { Effect } from "effect"
import { invalid } from "../value/failure.ts"
import { isPublicAddress } from "../platform/isPublicAddress.ts"
import type { StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"

const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host)

const isReachable = (hostname: string): boolean =>
  isAddress(hostname)
    ? isPublicAddress(hostname.replace(/^\[|\]$/g, ""))
    : !/(?:^|\.)localhost\.?$/.test(hostname) && hostname.includes(".")

/** Fails with 400 unless the URL may be sent requests with a provider's key: https, a public host, nothing after the path. */
export const requireDeploymentUrl = (base_url: string | undefined, path: string) =>
  Effect.suspend(() => {
    if (base_url === undefined) return Effect.void
    const url = URL.parse(base_url)
    const isGood =
      url !== null &&
      url.protocol === "https:" &&
      url.username === "" &&
      url.password === "" &&
      !/[?#\s]/.test(base_url) &&
      isReachable(url.hostname)
    return isGood
      ? Effect.void
      : invalid(
          "invalid_request",
          path,
          "Expected an https URL with a public host, without a user, a query or a fragment"
        )
  })

/** The address that requests to the endpoint go to, without a slash at its end; undefined if its private provider is gone. */
export const baseUrlOf = (
  { base_url }: Pick<StoredPrivateEndpoint, "base_url">,
  provider: Pick<PrivateProvider, "base_url"> | undefined
): string | undefined => (base_url ?? provider?.base_url)?.replace(/\/+$/, "")

/** Names the deployment that a validation is about. */
export const deploymentOf = (base_url: string, upstream_model_id: string): string => `${base_url}\n${upstream_model_id}`

/** The status that counts: an endpoint whose private provider moved is a draft again, whatever it was. Rule: models#private-endpoints. */
export const statusOf = (
  endpoint: Pick<StoredPrivateEndpoint, "base_url" | "status" | "upstream_model_id" | "validated">,
  provider: Pick<PrivateProvider, "base_url"> | undefined
): PrivateEndpointStatus => {
  const address = baseUrlOf(endpoint, provider)
  const isValidated = address !== undefined && endpoint.validated === deploymentOf(address, endpoint.upstream_model_id)
  return isValidated ? endpoint.status : "draft"
}
