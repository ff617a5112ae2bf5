import type { DestinationFilterRules } from "@gatewarden/contract"

/** Whether these rules judge what is in bodies. `null`: nothing is filtered. Rule: observability#filter-rules. */
export const searchesBodies = (rules: DestinationFilterRules | null): boolean =>
  rules !== null &&
  rules.enabled &&
  rules.groups.some((group) => group.rules.some(({ field }) => field === "input" || field === "output"))
