/** For `federation/tokenIssuers.ts`, which signs with Node: a Worker runs no case that exchanges a token. */
const notHere = (): never => {
  throw new Error("tokens of workloads are signed outside of Workers")
}

export const issuer = "https://issuer.example.com/pool"
export const keySet = `${issuer}/keys`
export const signToken = notHere
export const unsignedToken = notHere
export const publiclySignedToken = notHere

export class TokenIssuers {
  readonly fetch = (): Promise<Response> => Promise.resolve(new Response("not found", { status: 404 }))
  mend(): void {}
}
