/** @type {import("next").NextConfig} */
export default {
  // They reach databases and workers by themselves, so they are loaded as they are.
  serverExternalPackages: ["@gatewarden/core", "@gatewarden/postgres"],
  // A path with a slash at its end names nothing; Next would send the client elsewhere.
  skipTrailingSlashRedirect: true,
  // `npm run types` checks this example with everything else.
  typescript: { ignoreBuildErrors: true }
}
