import { fetchDoor, httpSuite } from "@gatewarden/conformance"
import { stores } from "@gatewarden/testkit/stores/stores"

httpSuite("fetch handler over a host's pg.Pool", () => ({ store: stores["pg.Pool"], door: fetchDoor }))
