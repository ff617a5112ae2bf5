/**
 * A few threads that look through texts, started when they are needed and ended when they are idle.
 *
 * A step of a search cannot be interrupted, a thread can be ended: one that does not answer in time is, and what it was asked
 * counts as not looked for.
 */
import { type ScanJob, type ScanResult, unpackHits } from "@gatewarden/core/effect"
import { Worker } from "node:worker_threads"

export interface ScanThreadsOptions {
  /** Where `re2` is loaded from; undefined for `re2js`. */
  readonly re2?: string | undefined
  /** Default: 2. */
  readonly threads?: number
}

export interface ScanThreads {
  readonly scan: (job: ScanJob) => Promise<ScanResult>
  readonly close: () => Promise<void>
}

/** Beyond a job's own budget, for starting a thread and for the way there and back. */
const graceMillis = 500
const idleMillis = 30_000

interface Packed {
  readonly packed: Int32Array
  readonly unfinished: readonly number[]
}

interface Waiting {
  readonly job: ScanJob
  readonly answer: (result: ScanResult) => void
}

export const makeScanThreads = ({ re2, threads = 2 }: ScanThreadsOptions = {}): ScanThreads => {
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const queue: Waiting[] = []
  const retirements = new Map<Worker, NodeJS.Timeout>()

  const end = (worker: Worker): Promise<unknown> => {
    all.delete(worker)
    clearTimeout(retirements.get(worker))
    retirements.delete(worker)
    const place = idle.indexOf(worker)
    if (place !== -1) idle.splice(place, 1)
    return worker.terminate()
  }

  const start = (): Worker => {
    // None of the host's flags: a thread runs what was built.
    const options = { workerData: { re2 }, name: "scan", execArgv: [] }
    const worker = new Worker(new URL("./scanWorker.js", import.meta.url), options)
    worker.unref()
    all.add(worker)
    return worker
  }

  const takeThread = (): Worker | undefined => idle.pop() ?? (all.size < threads ? start() : undefined)

  const rest = (worker: Worker): void => {
    idle.push(worker)
    retirements.set(worker, setTimeout(() => void end(worker), idleMillis).unref())
    dispatch()
  }

  const run = (worker: Worker, { job, answer }: Waiting): void => {
    clearTimeout(retirements.get(worker))
    const done = (result: ScanResult | undefined): void => {
      clearTimeout(timer)
      worker.off("message", receive).off("error", fail)
      if (result === undefined) void end(worker).then(dispatch)
      else rest(worker)
      answer(result ?? { hits: [], unfinished: [...job.sought.keys()] })
    }
    const receive = ({ packed, unfinished }: Packed): void => done({ hits: unpackHits(packed), unfinished })
    const fail = (): void => done(undefined)
    const timer = setTimeout(fail, job.budgetMillis + graceMillis)
    worker.on("message", receive).on("error", fail)
    worker.postMessage(job, [])
  }

  function dispatch(): void {
    while (queue.length > 0) {
      const worker = takeThread()
      if (worker === undefined) return
      run(worker, queue.shift() as Waiting)
    }
  }

  return {
    scan: (job) =>
      new Promise((resolve) => {
        const waiting: Waiting = {
          job,
          answer: (result) => {
            clearTimeout(patience)
            resolve(result)
          }
        }
        // Nobody waits longer for a thread than it may work.
        const patience = setTimeout(() => {
          const place = queue.indexOf(waiting)
          if (place === -1) return
          queue.splice(place, 1)
          resolve({ hits: [], unfinished: [...job.sought.keys()] })
        }, job.budgetMillis + graceMillis)
        queue.push(waiting)
        dispatch()
      }),
    close: async () => {
      await Promise.all([...all].map(end))
    }
  }
}
