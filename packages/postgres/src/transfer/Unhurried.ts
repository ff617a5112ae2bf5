import { Context } from "effect"

/** Whether a connection that is reserved may be without an answer for as long as it takes, as for work on whole tables. */
export const Unhurried = Context.Reference<boolean>("gatewarden/Unhurried", { defaultValue: () => false })
