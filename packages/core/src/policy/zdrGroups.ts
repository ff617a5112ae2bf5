/**
 * Which vendor group of zero-data-retention enforcement an endpoint belongs to.
 *
 * Rule: guardrails#zero-data-retention: a vendor's group holds its first-party endpoints only (Bedrock, Vertex and Azure stay);
 * `other` holds everything else. A host changes the table by providing the reference.
 */
import type { ZdrGroup } from "@gatewarden/contract"
import { Context } from "effect"

export const firstPartyProviders: Readonly<Record<string, ZdrGroup>> = {
  anthropic: "anthropic",
  "anthropic/2": "anthropic",
  openai: "openai",
  "google-ai-studio": "google",
  xai: "xai"
}

export const ZdrGroups = Context.Reference<ReadonlyMap<string, ZdrGroup>>("gatewarden/ZdrGroups", {
  defaultValue: () => new Map(Object.entries(firstPartyProviders))
})

export const zdrGroupOf = (table: ReadonlyMap<string, ZdrGroup>, provider: string): ZdrGroup =>
  table.get(provider) ?? "other"
