import { fetchDoor, httpSuite, oneOfEachOperation } from "@gatewarden/conformance"
import { stores } from "@gatewarden/testkit/stores/stores"

httpSuite("fetch handler on PGlite", () => ({ store: stores.PGlite, door: fetchDoor }), oneOfEachOperation)
