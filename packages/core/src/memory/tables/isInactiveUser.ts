import type { Tables } from "./Tables.ts"

/** Whether the directory says that the user may not act. Rule: scim#deprovisioning. */
export const isInactiveUser = (tables: Tables, account_id: string, user_id: string | null): boolean =>
  user_id !== null &&
  tables.directoryUsers.ofAccount(account_id).some((user) => user.user_id === user_id && !user.active)
