import type { Contender } from "./Measure.ts"

/** Keeps so many calls in flight; a call says when it is done. */
export const callConcurrently =
  (concurrency: number, call: (index: number, onDone: () => void) => void): Contender =>
  (millis) =>
    new Promise((resolve) => {
      let started = 0
      let done = 0
      const start = performance.now()
      const next = () => {
        const now = performance.now()
        if (now - start >= millis) {
          // The last ones in flight were begun in time; what they did is counted, and so is how long it took.
          if (done === started) resolve((done * 1000) / (now - start))
          return
        }
        call(started++, () => {
          done++
          next()
        })
      }
      for (let index = 0; index < concurrency; index++) next()
    })
