/** Typed calls of the Gatewarden API over any `fetch`. */
export { type Client, type ClientOptions, createClient, type Methods } from "./createClient.ts"
export { GatewardenError } from "./GatewardenError.ts"
export type { CallInput, CallOptions, Reply, RequestHeaders } from "./CallInput.ts"
