/**
 * The three groups of metadata that a destination includes or leaves out. Names are our own where the conventions have none.
 *
 * Rule: observability#what-a-platform-receives.
 */
import { traceTags } from "../../ports/usage.ts"
import { usdAsJson, usdNumber } from "../../value/money.ts"
import type { DeliveredEvent, IncludedMetadata } from "./Renderer.ts"
import { type Attribute, addKnown, decimal, flag, text, texts, whole } from "./Span.ts"

/** Exact: a number where the double prints the same decimal, otherwise a text (Rule: money#amounts). */
export const usd = (key: string, nanos: bigint): Attribute => {
  const amount = usdAsJson(nanos)
  return typeof amount === "number" ? decimal(key, amount) : text(key, amount)
}

/** What the request cost the user in total: what was charged, and what the user's own provider account was charged (BYOK). */
export const totalCostNanos = ({ event }: Pick<DeliveredEvent, "event">): bigint =>
  event.cost_nanos + event.byok_cost_nanos

/** The total as a number, for platforms that read no amount from a text. */
export const totalCost = (key: string, delivered: Pick<DeliveredEvent, "event">): Attribute =>
  decimal(key, usdNumber(totalCostNanos(delivered)))

const addCost = (into: Attribute[], delivered: DeliveredEvent): void => {
  const { event } = delivered
  into.push(usd("gen_ai.usage.cost", totalCostNanos(delivered)), flag("gatewarden.byok", event.byok))
  if (event.byok_cost_nanos !== 0n) {
    into.push(usd("gatewarden.cost.charged", event.cost_nanos))
    into.push(usd("gatewarden.cost.byok", event.byok_cost_nanos))
  }
  for (const [component, nanos] of Object.entries(event.cost_components))
    into.push(usd(`gatewarden.cost.${component}`, nanos))
}

const addIdentity = (into: Attribute[], { event, api_key_name }: DeliveredEvent): void => {
  into.push(text("gatewarden.workspace.id", event.workspace_id))
  addKnown(into, text, "gatewarden.user.id", event.user_id)
  addKnown(into, text, "gatewarden.api_key.hash", event.api_key_hash)
  addKnown(into, text, "gatewarden.api_key.name", api_key_name)
}

/** Tags of the trace are delivered as such. */
export const classifiersBesideTrace = ({ classifiers }: DeliveredEvent["event"]) =>
  Object.entries(classifiers ?? {}).filter(([classifier]) => classifier !== traceTags)

const addContext = (into: Attribute[], { event }: DeliveredEvent): void => {
  addKnown(into, text, "gatewarden.app", event.app)
  addKnown(into, text, "gatewarden.origin", event.origin)
  addKnown(into, text, "gatewarden.country", event.country)
  addKnown(into, text, "gatewarden.data_region", event.data_region)
  addKnown(into, text, "gatewarden.endpoint", event.endpoint_tag)
  addKnown(into, text, "gatewarden.guardrail.id", event.guardrail_id)
  into.push(
    flag("gatewarden.guardrail_invoked", event.guardrail_invoked),
    flag("gatewarden.response_cached", event.response_cached),
    whole("gatewarden.tool_calls", event.tool_calls)
  )
  addKnown(into, texts, "gatewarden.input_modalities", event.input_modalities)
  addKnown(into, texts, "gatewarden.output_modalities", event.output_modalities)
  addKnown(into, text, "gatewarden.category", event.category)
  addKnown(into, text, "gatewarden.language_type", event.language_type)
  for (const [classifier, tags] of classifiersBesideTrace(event))
    for (const [dimension, tag] of Object.entries(tags))
      into.push(text(`gatewarden.classifier.${classifier}.${dimension}`, tag))
}

export const addIncluded = (into: Attribute[], delivered: DeliveredEvent, include: IncludedMetadata): void => {
  if (include.cost) addCost(into, delivered)
  if (include.identity) addIdentity(into, delivered)
  if (include.request_context) addContext(into, delivered)
}
