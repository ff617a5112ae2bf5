/** What a Node host needs to embed an instance. */
export { createGatewarden } from "./instance/createGatewarden.ts"
export {
  type BodyReceiver,
  bodyReceiver,
  type BodyRefusal,
  type BodySender,
  type ReceivedBody
} from "./http/bodyReceiver.ts"
export { discardRest } from "./http/discardRest.ts"
export { nodeRequestOf } from "./http/nodeRequestOf.ts"
export { type OpenedGatewarden, openGatewarden, type OpenOptions, StartFailure } from "./instance/openGatewarden.ts"
export type { HostRoutes, Served, Started } from "./server/HostRoutes.ts"
export { sampleCatalog } from "./server/sampleCatalog.ts"
export { serveGatewarden, type ServeOptions } from "./cli/serveGatewarden.ts"
export { type SmtpOptions, smtpTransport } from "./mail/smtpTransport.ts"
export { nodePlatform } from "./platform/nodePlatform.ts"
export {
  type HostRequest,
  type Mounted,
  type NodeHandler,
  type NodeHandlerOptions,
  toNodeHandler
} from "./http/toNodeHandler.ts"
