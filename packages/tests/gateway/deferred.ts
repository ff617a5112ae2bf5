/** A promise that a test keeps when it likes. */
export const deferred = () => {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}
