/** Reasons of errors about workspaces, their members and budgets. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const workspacesReasons = {
  unknown_workspace: {
    statuses: [400, 401, 404],
    means:
      "The account has no workspace with this id. The status depends on the request: 400 where it creates or lists something in the workspace, 404 where it reads or changes a file or a preset, 401 where the host named the workspace.",
    remedy: "List the workspaces of the account and send the id of one of them.",
    call: "GET /workspaces lists the ids"
  },
  default_workspace_deleted: {
    statuses: [400],
    means: "The request names no workspace, and the account's default workspace was deleted.",
    remedy: "Send a workspace_id."
  },
  workspace_id_required: {
    statuses: [400],
    means: "The request names no workspace, and the key is restricted to workspaces without the account's default one.",
    remedy: "Send a workspace_id of the key's restrictions."
  },
  slug_taken: {
    statuses: [400],
    means: "Another workspace of this account has the same slug.",
    remedy: "Choose another slug.",
    call: "POST /workspaces with another slug"
  },
  workspace_not_empty: {
    statuses: [400],
    means: "The workspace still has active API keys.",
    remedy: "Delete the active keys of the workspace first."
  },
  budget_order: {
    statuses: [400],
    means:
      "A budget with a longer interval must have a higher limit than one with a shorter interval; a lifetime is the longest.",
    remedy: "Choose limits that rise with the interval."
  },
  unknown_interval: {
    statuses: [400],
    means: "The path names an interval that does not exist.",
    remedy: "Use one of the intervals that the error's message lists."
  },
  member_has_keys: {
    statuses: [400],
    means: "The member has active API keys in the workspace, and cannot be removed from it.",
    remedy: "Delete these keys first."
  },
  confirmation_required: {
    statuses: [400],
    means: "Deleting the default workspace must be confirmed.",
    remedy: "Repeat the request with confirm_default_workspace_deletion=true. It deletes the workspace and its keys."
  }
} as const satisfies ReasonTable
