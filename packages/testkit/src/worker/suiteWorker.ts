/**
 * A Worker that runs the HTTP suite where it is itself: the core, its clocks and its faults live in the isolate.
 *
 * `/?group=G&index=N` runs one case and answers 204, or 500 with what went wrong.
 */
import { layerMemory } from "@gatewarden/core/effect"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { runCase } from "@gatewarden/conformance/internal/http/runCase"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { fileProvidersAt } from "@gatewarden/conformance/internal/file/fileProvidersAt"
import { workerCases } from "./workerCases.ts"

interface Bindings {
  /** Where the file stores of providers listen. */
  readonly UPSTREAM: string
}

let installation: Promise<Installation> | undefined

export default {
  fetch: async (request: Request, { UPSTREAM }: Bindings): Promise<Response> => {
    const { searchParams } = new URL(request.url)
    const found = workerCases[Number(searchParams.get("group"))]?.cases[Number(searchParams.get("index"))]
    if (found === undefined) return new Response("no such case", { status: 404 })
    installation ??= Installation.start({ store: layerMemory, door: fetchDoor, upstream: fileProvidersAt(UPSTREAM) })
    try {
      await runCase(await installation, found)
      return new Response(null, { status: 204 })
    } catch (cause) {
      return new Response(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause), { status: 500 })
    }
  }
}
