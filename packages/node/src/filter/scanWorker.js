// @ts-check
/**
 * The thread in which texts are looked through. Plain JavaScript, because a worker is started from this very file both in the
 * sources and in what is published, and Node 20 does not run TypeScript.
 *
 * @import { Re2Constructor, ScanJob, ScanTexts } from "@gatewarden/core/internal/scanning"
 */
import { packHits, receivingJobs, re2EngineOf, re2jsEngine, scanTexts } from "@gatewarden/core/internal/scanning"
import { createRequire } from "node:module"
import { parentPort, workerData } from "node:worker_threads"

if (parentPort === null) throw new Error("scanWorker runs in a worker thread only")
const port = parentPort
/** @type {{ readonly re2: string | undefined }} */
const { re2 } = workerData
const engine =
  re2 === undefined ? re2jsEngine : re2EngineOf(/** @type {Re2Constructor} */ (createRequire(import.meta.url)(re2)))

const receive = receivingJobs()

port.on("message", (/** @type {ScanTexts | ScanJob} */ message) => {
  const job = receive(message)
  if (job === undefined) return
  const steps = scanTexts(job, engine, () => performance.now())
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const { hits, unfinished } = step.value
  const packed = packHits(hits)
  port.postMessage({ packed, unfinished }, [packed.buffer])
})

port.postMessage("ready")
