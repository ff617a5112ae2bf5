import type { Page, PageRequest } from "../../value/Page.ts"
import { byCreation } from "./Tables.ts"

/** The page of rows in the order of every list. */
export const pageOf = <T extends { readonly created_at: string; readonly id: string }>(
  rows: readonly T[],
  { limit, offset }: PageRequest
): Page<T> => ({ data: [...rows].sort(byCreation).slice(offset, offset + limit), total_count: rows.length })
