/** The account that a call of a port is for, where the database itself keeps accounts apart. */
import { Context } from "effect"

/** The account to whose rows statements are held; undefined for what runs for all accounts. */
export const TenantScope = Context.Reference<string | undefined>("gatewarden/TenantScope", {
  defaultValue: () => undefined
})

/** Whether the clients hold statements to their `TenantScope`. */
export const RowLevelSecurity = Context.Reference<boolean>("gatewarden/RowLevelSecurity", {
  defaultValue: () => false
})

/** The role under which statements of an account run. It owns no table and bypasses no policy. */
export const tenantRole = "gatewarden_tenant"
