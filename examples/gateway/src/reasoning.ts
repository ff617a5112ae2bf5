/**
 * How much a model is asked to think, in the words of whoever is asked. Clients say `reasoning: { effort, max_tokens, enabled, exclude }`
 * or OpenAI's `reasoning_effort`; what an upstream has no word for is dropped, because it would refuse the request for it.
 */

/**
 * `openai`: `reasoning_effort`. `generic`: the same, of which only `low`, `medium` and `high` are known everywhere. `anthropic`: a
 * budget of tokens in `thinking`. `unchanged`: `reasoning` as the client sent it. `none`: it cannot be told.
 */
export type ReasoningShape = "openai" | "generic" | "anthropic" | "unchanged" | "none"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** The part of what may be written that goes to thinking. */
const shares: Readonly<Record<string, number>> = {
  max: 0.95,
  xhigh: 0.95,
  high: 0.8,
  medium: 0.5,
  low: 0.2,
  minimal: 0.1
}

const openaiEfforts: Readonly<Record<string, string>> = { max: "xhigh" }
const genericEfforts: Readonly<Record<string, string>> = { max: "high", xhigh: "high", minimal: "low" }

/** Anthropic's least and, so that an answer has room, most budget. */
const leastBudget = 1024
const mostBudget = 32_000

const effortOf = ({ reasoning, reasoning_effort }: Fields): string | undefined => {
  const asked = isFields(reasoning) ? reasoning : {}
  const effort = asked["effort"] ?? reasoning_effort
  if (typeof effort === "string") return effort
  if (asked["enabled"] === false) return "none"
  return asked["enabled"] === true ? "medium" : undefined
}

const thinking = (fields: Fields, cap: number | null): Fields => {
  const effort = effortOf(fields)
  const { reasoning } = fields
  const wanted =
    isFields(reasoning) && typeof reasoning["max_tokens"] === "number"
      ? reasoning["max_tokens"]
      : Math.floor((cap ?? 0) * (shares[effort ?? ""] ?? 0))
  if (effort === "none" || wanted === 0) return {}
  const budget_tokens = Math.min(Math.max(wanted, leastBudget), mostBudget)
  // It must be less than the cap, or the request is refused.
  return cap !== null && budget_tokens >= cap ? {} : { thinking: { type: "enabled", budget_tokens } }
}

/** The fields that say it to an upstream. `cap`: how many tokens it may write in all. */
export const reasoningFields = (shape: ReasoningShape, fields: Fields, cap: number | null): Fields => {
  if (fields["reasoning"] == null && fields["reasoning_effort"] == null) return {}
  switch (shape) {
    case "openai": {
      const effort = effortOf(fields)
      return effort === undefined ? {} : { reasoning_effort: openaiEfforts[effort] ?? effort }
    }
    case "generic": {
      const effort = effortOf(fields)
      return effort === undefined || effort === "none" ? {} : { reasoning_effort: genericEfforts[effort] ?? effort }
    }
    case "anthropic":
      return thinking(fields, cap)
    case "unchanged":
      return { reasoning: fields["reasoning"] ?? { effort: fields["reasoning_effort"] } }
    case "none":
      return {}
  }
}

/** Whether the client does not want to read what the model thought. */
export const hidesReasoning = ({ reasoning }: Fields): boolean => isFields(reasoning) && reasoning["exclude"] === true
