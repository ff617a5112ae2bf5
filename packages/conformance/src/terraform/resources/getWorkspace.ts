import type { Call } from "../ProviderResource.ts"

/** Whether the workspace is there, which nothing is taken from. */
export const getWorkspace: Call = { method: "GET", path: "/workspaces/{workspace_id}", status: 200, takes: "nothing" }
