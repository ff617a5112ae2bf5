/** How long an answer may take, on a slow machine: past it, it will not come. */
const patienceMillis = 60_000

/** Rejects when nothing comes, so that a request that hangs is told like any other failure. */
export const inTime = async <A>(work: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMillis} ms`)), patienceMillis)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
