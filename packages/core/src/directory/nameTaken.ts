import { Conflict } from "../value/failure.ts"

/** No two users and no two groups of a directory have the same name, whatever its case. Rule: scim#directory-users, scim#directory-groups. */
export const nameTaken = (path: "userName" | "displayName") =>
  new Conflict({
    reason: "directory_name_taken",
    issues: [{ path, code: "directory_name_taken", message: "Another one in the directory has this name" }]
  })
