import type { Page, PageRequest } from "../../value/Page.ts"
import { byCreation } from "./Tables.ts"

/** The page of rows in the order of every list, or in that of the few that have their own. */
export const pageOf = <T extends { readonly created_at: string; readonly id: string }>(
  rows: readonly T[],
  { limit, offset }: PageRequest,
  order: (a: T, b: T) => number = byCreation
): Page<T> => ({ data: [...rows].sort(order).slice(offset, offset + limit), total_count: rows.length })
