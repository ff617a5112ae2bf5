import { isPrivateTag } from "../catalog/ownModels.ts"
import type { UsageEvent } from "../ports/usage.ts"

/**
 * Whether rankings and datasets, which all accounts see, count an event (Rule: usage#public-statistics): the operator's side recorded it, and
 * no account's own deployment served it.
 */
export const isPublicUsage = ({
  self_reported,
  endpoint_tag
}: Pick<UsageEvent, "self_reported" | "endpoint_tag">): boolean => !self_reported && !isPrivateTag(endpoint_tag)
