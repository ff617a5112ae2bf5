import { Conflict } from "../value/failure.ts"

/** Nobody could manage the account any more. Rule: scim#deprovisioning. */
export const lastManagementKey = () =>
  new Conflict({
    reason: "last_management_key",
    issues: [
      {
        path: "active",
        code: "last_management_key",
        message:
          "The user has the account's last management key without restrictions. Create one that is not the user's, then send this again"
      }
    ]
  })
