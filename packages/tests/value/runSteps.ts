/** What steps come to, how many there were, and how many of them were announced as long. */
export const runSteps = <A>(steps: Generator<unknown, A>) => {
  let long = 0
  for (let count = 1; ; count++) {
    const step = steps.next()
    if (step.done === true) return { value: step.value, steps: count, long }
    if (step.value === "long") long++
  }
}
