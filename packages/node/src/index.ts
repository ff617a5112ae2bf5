/** What a Node host needs to embed an instance. */
export { type HostRequest, type Mounted, type NodeHandler, toNodeHandler } from "./toNodeHandler.ts"
