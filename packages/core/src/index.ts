/**
 * The Promise door: Gatewarden as a value that a host embeds. No Effect type is visible here.
 */
export { createGatewarden, type Gatewarden, type GatewardenOptions, type NewAccount } from "./createGatewarden.ts"
export type { HostAnswer, HostCaller } from "./hosting/HostCaller.ts"
export { memory, type Store } from "./Store.ts"
