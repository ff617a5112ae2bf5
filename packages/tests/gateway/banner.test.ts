/** The reference gateway. What it prints at its start can be copied as it stands. */
import { assert, it } from "@effect/vitest"
import { banner } from "../../../examples/gateway/src/banner.ts"

const printed = (dataDirectory: string | undefined) =>
  banner({
    url: "http://127.0.0.1:8787/api/v1",
    pageUrl: undefined,
    upstreams: {},
    dataDirectory,
    managementKeyFile: undefined
  })

it("names the directory of its data in the command that makes a key", () => {
  assert.include(printed("/var/gw"), " GATEWARDEN_DATA_DIR=/var/gw npx gatewarden keys create --name my-app\n")
  for (const plain of ["./.gatewarden", undefined])
    assert.include(printed(plain), "       npx gatewarden keys create --name my-app\n")
})
