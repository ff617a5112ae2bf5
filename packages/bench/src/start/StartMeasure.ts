/** A way to start that is measured. */
export interface Start {
  readonly name: string
  /** Starts what lies, built, in this directory of a checkout, once. */
  readonly run: (checkout: string) => Promise<StartTaken>
}

export interface StartTaken {
  readonly elapsedMillis: number
  readonly processorMillis: number
}
