/** The section about the Terraform provider, from the table of its calls. */
import { missingCalls, operationOf } from "@gatewarden/testkit/terraform/operationOf"
import { callsOf, type ProviderResource } from "@gatewarden/testkit/terraform/ProviderResource"
import { provider, providerResources } from "@gatewarden/testkit/terraform/providerResources"
import { type Cells, code, table } from "./markdown.ts"

const block = `\`\`\`hcl
terraform {
  required_providers {
    openrouter = { source = "${provider.source}" }
  }
}

provider "openrouter" {
  server_url = "https://gatewarden.example.com/api/v1"
  api_key    = var.management_key
}
\`\`\``

const codes = (items: readonly string[]): string => items.map(code).join(", ")

const stateOf = (resource: ProviderResource): string => {
  const missing = missingCalls(resource)
  if (missing.length > 0) return `not yet: ${codes(missing)}`
  return [
    "works",
    ...(resource.update.length === 0 ? ["a change replaces it"] : []),
    ...(resource.destroy.length === 0 ? ["destroying it changes nothing on the server"] : [])
  ].join("; ")
}

const rows = Object.entries(providerResources).map(([name, resource]): [row: Cells, works: boolean] => [
  [
    code(name),
    stateOf(resource),
    codes([...new Set(callsOf(resource).flatMap((call) => operationOf(call) ?? []))]) || "none"
  ],
  missingCalls(resource).length === 0
])

export const terraform = (): readonly string[] => [
  "## Terraform",
  `The provider \`${provider.repository}\` ${provider.version} (commit \`${provider.commit.slice(0, 8)}\`) has ${rows.length} resources; ${rows.filter(([, works]) => works).length} of them work. Set \`server_url\` to the address of your server, and \`api_key\` to a management key:`,
  block,
  "Tests send the provider's requests to a server: create, read, update of each attribute, import, destroy. After each apply a second plan has no difference. The tests do not run the provider itself.",
  table(
    ["resource", "", "operations"],
    rows.map(([row]) => row)
  ),
  `- Set \`keep_members_enum\` of a group mapping before you destroy it. Without it the server answers 400, and keeps the mapping.
- The provider cannot update a guardrail whose \`limit_usd\` never resets: it sends the limit without \`reset_interval\`, which is 400. Give the guardrail an interval.`
]
