import { assert } from "@effect/vitest"
import type { CasesOf } from "../http/Case.ts"

export const getAuthorizationServer: CasesOf = {
  operation: "getAuthorizationServer",
  cases: [
    {
      name: "without credentials, with addresses below that of the request",
      status: 200,
      run: (world) => world.call("getAuthorizationServer"),
      check: ({ json }, { installation: { door, basePath } }) => {
        const address: string = json.issuer
        assert.isTrue(address.endsWith(basePath === "/" ? "" : basePath))
        assert.isTrue(address.startsWith(door.origin))
        assert.strictEqual(json.authorization_endpoint, `${address}/auth`)
        assert.strictEqual(json.token_endpoint, `${address}/oauth/token`)
        assert.strictEqual(json.jwks_uri, `${address}/oauth/jwks`)
        assert.deepEqual(json.code_challenge_methods_supported, ["S256"])
      }
    }
  ]
}

export const listSigningKeys: CasesOf = {
  operation: "listSigningKeys",
  cases: [
    {
      name: "none, without credentials",
      status: 200,
      run: (world) => world.call("listSigningKeys"),
      check: ({ json }) => assert.deepEqual(json, { keys: [] })
    }
  ]
}
