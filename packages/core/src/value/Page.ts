/** A page of a list, and which one is asked for. Rule: requests#lists. */
export interface Page<T> {
  readonly data: T[]
  readonly total_count: number
}

export interface PageRequest {
  readonly limit: number
  readonly offset: number
}
