/** What a Node host needs to embed an instance. */
export { nodeRequestOf } from "./http/nodeRequestOf.ts"
export {
  type HostRequest,
  type Mounted,
  type NodeHandler,
  type NodeHandlerOptions,
  toNodeHandler
} from "./toNodeHandler.ts"
