import { fetchDoor, httpSuite, oneOfEachOperation } from "@gatewarden/conformance"
import { stores } from "../../src/stores/stores.ts"

httpSuite(
  "fetch handler over a host's pg.Pool",
  () => ({ store: stores["pg.Pool"], door: fetchDoor }),
  oneOfEachOperation
)
