/**
 * The three groups of metadata that a destination includes or leaves out. Names are our own where the conventions have none.
 *
 * Rule: observability#what-a-platform-receives.
 */
import { usdAsJson } from "../../value/money.ts"
import type { DeliveredEvent, IncludedMetadata } from "../Renderer.ts"
import { type Attribute, decimal, flag, known, text, texts, whole } from "./Span.ts"

/** Exact: a number where the double prints the same decimal, otherwise a text (Rule: money#amounts). */
export const usd = (key: string, nanos: bigint): Attribute => {
  const amount = usdAsJson(nanos)
  return typeof amount === "number" ? decimal(key, amount) : text(key, amount)
}

const costAttributes = ({ event }: DeliveredEvent): readonly Attribute[] => [
  usd("gen_ai.usage.cost", event.cost_nanos),
  flag("gatewarden.byok", event.byok),
  ...(event.byok_cost_nanos === 0n ? [] : [usd("gatewarden.cost.byok", event.byok_cost_nanos)]),
  ...Object.entries(event.cost_components).map(([component, nanos]) => usd(`gatewarden.cost.${component}`, nanos))
]

const identityAttributes = ({ event, api_key_name }: DeliveredEvent): readonly Attribute[] => [
  text("gatewarden.workspace.id", event.workspace_id),
  ...known(text, "gatewarden.user.id", event.user_id),
  ...known(text, "gatewarden.api_key.hash", event.api_key_hash),
  ...known(text, "gatewarden.api_key.name", api_key_name)
]

const contextAttributes = ({ event }: DeliveredEvent): readonly Attribute[] => [
  ...known(text, "gatewarden.app", event.app),
  ...known(text, "gatewarden.origin", event.origin),
  ...known(text, "gatewarden.country", event.country),
  ...known(text, "gatewarden.data_region", event.data_region),
  ...known(text, "gatewarden.endpoint", event.endpoint_tag),
  flag("gatewarden.guardrail_invoked", event.guardrail_invoked),
  flag("gatewarden.response_cached", event.response_cached),
  whole("gatewarden.tool_calls", event.tool_calls),
  ...known(texts, "gatewarden.input_modalities", event.input_modalities),
  ...known(texts, "gatewarden.output_modalities", event.output_modalities),
  ...known(text, "gatewarden.category", event.category),
  ...known(text, "gatewarden.language_type", event.language_type),
  ...Object.entries(event.classifiers ?? {}).flatMap(([classifier, tags]) =>
    Object.entries(tags).map(([dimension, tag]) => text(`gatewarden.classifier.${classifier}.${dimension}`, tag))
  )
]

export const includedAttributes = (delivered: DeliveredEvent, include: IncludedMetadata): readonly Attribute[] => [
  ...(include.cost ? costAttributes(delivered) : []),
  ...(include.identity ? identityAttributes(delivered) : []),
  ...(include.request_context ? contextAttributes(delivered) : [])
]
