import { fetchDoor, httpSuite, stores } from "@gatewarden/conformance"

httpSuite("fetch handler on PGlite", () => ({ store: stores.PGlite, door: fetchDoor }))
