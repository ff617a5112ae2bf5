/** Of the package `s3rver`, which has no types, what the tests use. */
declare module "s3rver" {
  interface Options {
    readonly address: string
    readonly port: number
    readonly directory: string
    readonly silent: boolean
    readonly configureBuckets: readonly { readonly name: string }[]
  }
  export default class S3rver {
    constructor(options: Options)
    /** Resolves to where it listens. */
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
