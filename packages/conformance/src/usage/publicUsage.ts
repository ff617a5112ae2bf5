/** Which events public statistics count, and tags with which they are tried. */
import type { UsageEvent } from "@gatewarden/core/store"
import * as fc from "fast-check"

export const isPublicEvent = ({ self_reported, endpoint_tag }: UsageEvent): boolean =>
  !self_reported && !(endpoint_tag ?? "").startsWith("private/")

export const endpointTags = fc.constantFrom(null, null, null, "acme/fp8", "private", "Private/1", "private/1")
