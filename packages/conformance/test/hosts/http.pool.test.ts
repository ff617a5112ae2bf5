import { fetchDoor, httpSuite, oneOfEachStatus } from "@gatewarden/conformance"
import { stores } from "../../src/stores/stores.ts"

httpSuite("fetch handler over a host's pg.Pool", () => ({ store: stores["pg.Pool"], door: fetchDoor }), oneOfEachStatus)
