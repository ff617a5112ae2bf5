import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { deploymentUrl } from "./Deployments.ts"

const base_url = fc.constantFrom(deploymentUrl, deploymentUrl, "https://other.example.com", "http://example.com")
const id = some("private_endpoint")
const slug = some("private_provider", "slug")

export const privateEndpointCommands = [
  command("createPrivateProvider", {
    body: { base_url, name: fc.constantFrom("one", "Two", "three 3", "a/b") },
    keeps: { private_provider: dataOf }
  }),
  command("listPrivateProviders"),
  command("getPrivateProvider", { params: { slug } }),
  command("updatePrivateProvider", { params: { slug }, body: { base_url } }),
  command("deletePrivateProvider", { params: { slug } }),
  command("createPrivateEndpoint", {
    weight: 2,
    body: {
      base_url,
      model_permaslug: some("model", "canonical_slug"),
      provider_slug: fc.oneof(fc.constantFrom("openai", "nobody"), slug),
      activate: fc.option(fc.record({ workspace_id: some("workspace") }), { nil: undefined })
    },
    keeps: { private_endpoint: dataOf }
  }),
  command("listPrivateEndpoints"),
  command("getPrivateEndpoint", { params: { id } }),
  command("updatePrivateEndpoint", { params: { id }, body: { base_url } }),
  command("updatePrivateEndpointPricing", { params: { id } }),
  command("validatePrivateEndpoint", { params: { id }, body: { workspace_id: some("workspace") } }),
  command("activatePrivateEndpoint", { params: { id } }),
  command("disablePrivateEndpoint", { params: { id } }),
  command("enablePrivateEndpoint", { params: { id } }),
  command("deletePrivateEndpoint", { params: { id } })
]
