/**
 * The providers that a BYOK credential can be for.
 *
 * Rule: byok#providers. By default the contract's table; a host extends it by providing the reference with a larger set.
 */
import { byokProviders } from "@gatewarden/contract"
import { Context } from "effect"

export const ProviderTable = Context.Reference<ReadonlySet<string>>("gatewarden/ProviderTable", {
  defaultValue: () => new Set<string>(byokProviders)
})
