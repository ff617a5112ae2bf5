import { intervalUnits } from "@gatewarden/contract/internal"

/**
 * The first day whose sums are kept apart once there are sums of `day`: the start of the window before the one that holds it, of the longest
 * unit. A window that opens late finds all its days.
 */
export const keptFrom = (day: string): string =>
  `least(${intervalUnits.map((unit) => `date_trunc('${unit}', date_trunc('${unit}', ${day}::timestamp) - interval '1 day')`).join(", ")})`
