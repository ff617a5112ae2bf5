import { invalid } from "../value/failure.ts"

/** 400, because the public API declares no 409 here. Rule: workspaces#new-workspaces. */
export const slugTaken = () => invalid("slug_taken", "slug", "Another workspace of this account has this slug")
