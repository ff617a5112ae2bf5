import { fetchDoor, httpSuite, stores } from "@gatewarden/conformance"

httpSuite("fetch handler over a host's pg.Pool", () => ({ store: stores["pg.Pool"], door: fetchDoor }))
