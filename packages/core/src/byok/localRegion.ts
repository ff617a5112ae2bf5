import type { Region } from "@gatewarden/contract"

/** A region that a credential may be declared for with effect. */
export type LocalRegion = Exclude<Region, "global">

/** `null` and `global` are the same: the credential follows the endpoint. Rule: byok#declared-region. */
export const localRegion = (declared: Region | null): LocalRegion | undefined =>
  declared === null || declared === "global" ? undefined : declared
