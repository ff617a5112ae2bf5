/** The Effect door: the server as a scoped effect, and Node's platform services. */
export { directoryFileContents, layerDirectoryFileContents } from "./file/directoryFileContents.ts"
export { s3FileContents } from "./file/s3FileContents.ts"
export type { S3Options } from "./file/objectRequests.ts"
export { AddressRefused, guardedFetch, type GuardedFetchOptions } from "./outgoing/guardedFetch.ts"
export { layerPlatform } from "./platform/layerPlatform.ts"
export { type RunningServer, type ServerOptions, startServer } from "./server/startServer.ts"
