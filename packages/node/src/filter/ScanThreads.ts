/**
 * A few threads that look through texts, started when they are needed and ended when they are idle.
 *
 * A step of a search cannot be interrupted, a thread can be ended: one that does not answer in time is, and what it was asked
 * counts as not looked for. Accounts take turns, and each has a limited number of jobs that wait: the time of a job begins when it gets a
 * thread, so that the jobs of one account leave those of others their time.
 */
import { inSlices, makeFairQueue, messagesOf, unpackHits } from "@gatewarden/core/internal"
import type { ScanJob, ScanResult } from "@gatewarden/core/internal/scanning"
import { Effect } from "effect"
import { Worker } from "node:worker_threads"

export interface ScanThreadsOptions {
  /** Where `re2` is loaded from; undefined for `re2js`. */
  readonly re2?: string | undefined
  /** Default: 2. */
  readonly threads?: number
  /** What a thread runs. */
  readonly script?: URL
}

/** Runs the work of a job on this thread, in the turns of who asks for it. */
type Run = (work: Effect.Effect<void>) => Promise<void>

export interface ScanThreads {
  /** Undefined where no thread can be started, as in a host that was bundled into one file. */
  readonly scan: (job: ScanJob, account_id: string, run?: Run) => Promise<ScanResult | undefined>
  readonly close: () => Promise<void>
}

/** Beyond a job's own budget, for starting a thread and for the way there and back. */
const graceMillis = 500
const idleMillis = 30_000
/** For a thread, whoever has them. */
const longestWaitMillis = 10_000
/** Jobs of one account that wait: beyond them a job counts as not looked for, at once. */
const mostWaiting = 32

interface Packed {
  readonly packed: Int32Array
  readonly unfinished: readonly number[]
}

/** A long text is copied piece by piece, so that nobody waits for all of it. */
function* sending(worker: Worker, job: ScanJob): Generator<void, void> {
  for (const message of messagesOf(job)) {
    worker.postMessage(message, [])
    yield
  }
}

interface Waiting {
  readonly job: ScanJob
  readonly run: Run
  readonly begin: () => void
  readonly answer: (result: ScanResult | undefined) => void
}

const unanswered = ({ sought }: ScanJob): ScanResult => ({ hits: [], unfinished: [...sought.keys()] })

export const makeScanThreads = ({
  re2,
  threads = 2,
  script = new URL("./scanWorker.js", import.meta.url)
}: ScanThreadsOptions = {}): ScanThreads => {
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const queue = makeFairQueue<Waiting>()
  const retirements = new Map<Worker, NodeJS.Timeout>()
  /** Whether a thread has started well, or none ever will. */
  let state: "untried" | "usable" | "none" = "untried"

  const forget = (worker: Worker): void => {
    all.delete(worker)
    clearTimeout(retirements.get(worker))
    retirements.delete(worker)
    const place = idle.indexOf(worker)
    if (place !== -1) idle.splice(place, 1)
  }

  const end = (worker: Worker): Promise<unknown> => {
    forget(worker)
    return worker.terminate()
  }

  /** No thread can be had: what waits is done elsewhere. */
  const goWithout = (): void => {
    state = "none"
    for (let waiting = queue.take(); waiting !== undefined; waiting = queue.take()) {
      waiting.begin()
      waiting.answer(undefined)
    }
  }

  const start = (): Worker => {
    // None of the host's flags: a thread runs what was built.
    const options = { workerData: { re2 }, name: "scan", execArgv: [] }
    const worker = new Worker(script, options)
    worker.unref()
    all.add(worker)
    // A thread may fail when nobody waits for it any more: that ends it and nothing else.
    worker.on("error", () => {}).on("exit", () => forget(worker))
    return worker
  }

  const takeThread = (): Worker | undefined => idle.pop() ?? (all.size < threads ? start() : undefined)

  const rest = (worker: Worker): void => {
    idle.push(worker)
    retirements.set(worker, setTimeout(() => void end(worker), idleMillis).unref())
    dispatch()
  }

  const perform = (worker: Worker, { job, run, answer, begin }: Waiting): void => {
    begin()
    clearTimeout(retirements.get(worker))
    let timer: NodeJS.Timeout | undefined
    let isDone = false
    const done = (): void => {
      isDone = true
      clearTimeout(timer)
      worker.off("message", receive).off("error", fail)
    }
    const receive = (message: "ready" | Packed): void => {
      state = "usable"
      if (message === "ready") return
      done()
      rest(worker)
      answer({ hits: unpackHits(message.packed), unfinished: message.unfinished })
    }
    const giveUp = (): void => {
      done()
      void end(worker).then(dispatch)
      answer(unanswered(job))
    }
    const fail = (): void => {
      if (state === "usable") return giveUp()
      done()
      void end(worker)
      answer(undefined)
      goWithout()
    }
    worker.on("message", receive).on("error", fail)
    void run(inSlices(sending(worker, job))).then(() => {
      if (!isDone) timer = setTimeout(giveUp, job.budgetMillis + graceMillis)
    }, fail)
  }

  function dispatch(): void {
    while (queue.size() > 0) {
      let worker: Worker | undefined
      try {
        worker = takeThread()
      } catch {
        return goWithout()
      }
      if (worker === undefined) return
      perform(worker, queue.take() as Waiting)
    }
  }

  return {
    scan: (job, account_id, run = Effect.runPromise) =>
      new Promise((resolve) => {
        if (state === "none") return resolve(undefined)
        if (queue.sizeOf(account_id) >= mostWaiting) return resolve(unanswered(job))
        const waiting: Waiting = { job, run, answer: resolve, begin: () => clearTimeout(patience) }
        const leave = queue.add(account_id, waiting)
        const patience = setTimeout(() => {
          leave()
          resolve(unanswered(job))
        }, longestWaitMillis)
        dispatch()
      }),
    close: async () => {
      await Promise.all([...all].map(end))
    }
  }
}
