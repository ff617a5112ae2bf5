/**
 * The resources of the public Terraform provider: their attributes, and the calls that each step of a life makes.
 *
 * Source: github.com/OpenRouterTeam/terraform-provider-openrouter, `internal/provider` and `internal/sdk`, at the commit that each
 * resource names. A call counts only with the status that it names; 404 is also good for `read` and `destroy`.
 */
import type { ProviderResource } from "./ProviderResource.ts"
import {
  guardrail,
  guardrailKeyAssignment,
  guardrailMemberAssignment,
  workspaceDefaultGuardrail
} from "./resources/guardrails.ts"
import { apiKey, byokKey } from "./resources/keys.ts"
import { observabilityDestination, organizationSettings, scimGroupMapping } from "./resources/organization.ts"
import { privateEndpoint, privateProvider } from "./resources/privateModels.ts"
import { workspace, workspaceBudget, workspaceMember } from "./resources/workspaces.ts"

/** The state of the repository that the table was read from. */
export const provider = {
  repository: "OpenRouterTeam/terraform-provider-openrouter",
  source: "OpenRouterTeam/openrouter",
  version: "0.3.20",
  commit: "0036b3de42be104d5f4392b68c78004445771cae"
} as const

export const providerResources = {
  openrouter_api_key: apiKey,
  openrouter_byok_key: byokKey,
  openrouter_guardrail: guardrail,
  openrouter_guardrail_key_assignment: guardrailKeyAssignment,
  openrouter_guardrail_member_assignment: guardrailMemberAssignment,
  openrouter_observability_destination: observabilityDestination,
  openrouter_organization_settings: organizationSettings,
  openrouter_private_endpoint: privateEndpoint,
  openrouter_private_provider: privateProvider,
  openrouter_scim_group_mapping: scimGroupMapping,
  openrouter_workspace: workspace,
  openrouter_workspace_budget: workspaceBudget,
  openrouter_workspace_default_guardrail: workspaceDefaultGuardrail,
  openrouter_workspace_member: workspaceMember
} as const satisfies Readonly<Record<string, ProviderResource>>

export type ResourceName = keyof typeof providerResources
