import type { Workspace } from "@gatewarden/contract"

/** A workspace as it is stored. */
export type StoredWorkspace = Omit<Workspace, "is_observability_broadcast_enabled"> & {
  /** `null` until a request sets the flag (Rule: observability#broadcast-flag). */
  readonly is_observability_broadcast_enabled: boolean | null
}

/** Shows the flag that nobody has set as what it comes to: whether the workspace has an enabled destination. */
export const shownWorkspace = (stored: StoredWorkspace, hasDestination: boolean): Workspace => ({
  ...stored,
  is_observability_broadcast_enabled: stored.is_observability_broadcast_enabled ?? hasDestination
})
