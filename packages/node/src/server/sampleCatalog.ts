/** Models and prices to begin with. */
import { fileURLToPath } from "node:url"

/** When the prices of the sample catalog were the providers' public ones. */
export const sampleCatalogDate = "November 2025"

/**
 * The path of the sample catalog: about twenty models of well-known providers with their public prices of November 2025, for
 * `GATEWARDEN_CATALOG` or the option `catalog`. Check the prices before you charge anybody.
 *
 * @example
 * await serveGatewarden({ catalog: sampleCatalog, routes })
 */
export const sampleCatalog: string = fileURLToPath(new URL("../../src/server/sampleCatalog.json", import.meta.url))
