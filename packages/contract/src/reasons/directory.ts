/** Reasons of errors about users and groups of a directory. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const directoryReasons = {
  user_deprovisioned: {
    statuses: [400],
    means: "A directory has provisioned the user, and says that the user is not active.",
    remedy: "Activate the user in the directory, or name another user."
  },
  member_of_directory: {
    statuses: [400],
    means: "A directory gives the membership, over SCIM.",
    remedy: "Remove the user from the group in the directory, or delete the mapping of the group."
  },
  mapping_exists: {
    statuses: [409],
    means: "The group is mapped to this workspace already, with another role.",
    remedy: "Update the role of the mapping that is there."
  },
  invalid_filter: {
    statuses: [400],
    means: "The SCIM filter breaks the grammar of RFC 7644 or its bounds, or compares what cannot be compared.",
    remedy: 'Send a filter such as userName eq "ann@example.com".'
  },
  filter_too_wide: {
    statuses: [400],
    means: "The SCIM filter would have to look at more than 1,000 resources.",
    remedy: "Compare id, userName, externalId or displayName with eq, or read the list page by page."
  },
  invalid_attribute_path: {
    statuses: [400],
    means: "The path of a SCIM PATCH operation is malformed, or names no attribute of the resource.",
    remedy: "Name an attribute that GET /scim/v2/Schemas tells."
  },
  no_such_value: {
    statuses: [400],
    means: "The path of a SCIM PATCH operation selects a value that the resource does not have.",
    remedy: "Add the value, or read the resource and select one that it has."
  },
  read_only_attribute: {
    statuses: [400],
    means: "A SCIM PATCH operation names an attribute that only the server sets, or removes one that is required.",
    remedy: "Leave the attribute out."
  },
  directory_name_taken: {
    statuses: [409],
    means:
      "Another user of the directory has this userName or has had it as its first one, or another group has this displayName.",
    remedy: "Find the other one with a filter, and update it."
  }
} as const satisfies ReasonTable
