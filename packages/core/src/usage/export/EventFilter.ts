/** Which recorded events are exported: those that every given field fits. */
import type { UsageEvent } from "../UsageEvent.ts"

/** Fields of an event that must equal a value. */
export const equalFields = [
  "workspace_id",
  "api_key_hash",
  "user_id",
  "external_user",
  "model",
  "variant",
  "provider",
  "app",
  "session_id",
  "status"
] as const

export type EqualField = (typeof equalFields)[number]

export interface EventFilter {
  /** ISO 8601 in UTC with milliseconds; the start inclusive, the end exclusive. */
  readonly start: string | undefined
  readonly end: string
  readonly equal: { readonly [field in EqualField]?: string | undefined }
  /** The event is of one of these workspaces. */
  readonly workspaces?: readonly string[] | undefined
  /** A tag that an event must have: any of the classifier, any value of the dimension, or one value. */
  readonly tag: EventTag | undefined
}

export interface EventTag {
  readonly classifier: string
  readonly dimension: string | undefined
  readonly value: string | undefined
}

/** Events of one answer of the store, and about their bytes as they lie there. */
export const eventsAtOnce = 500
export const bytesAtOnce = 262_144

export const passes = ({ start, end, equal, workspaces, tag }: EventFilter, event: UsageEvent): boolean =>
  (start === undefined || event.created_at >= start) &&
  event.created_at < end &&
  equalFields.every((field) => equal[field] === undefined || event[field] === equal[field]) &&
  (workspaces === undefined || workspaces.includes(event.workspace_id)) &&
  (tag === undefined || hasTag(tag, event))

const hasTag = ({ classifier, dimension, value }: EventTag, { classifiers }: UsageEvent): boolean => {
  if (classifiers === null || !Object.hasOwn(classifiers, classifier)) return false
  if (dimension === undefined) return true
  const tags = classifiers[classifier] ?? {}
  return Object.hasOwn(tags, dimension) && (value === undefined || tags[dimension] === value)
}
