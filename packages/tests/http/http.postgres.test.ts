import { fetchDoor, httpSuite, oneOfEachStatus } from "@gatewarden/conformance"
import { stores } from "@gatewarden/testkit/stores/stores"

httpSuite("fetch handler on PostgreSQL", () => ({ store: stores.PostgreSQL, door: fetchDoor }), oneOfEachStatus)
