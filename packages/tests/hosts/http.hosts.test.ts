import { type Choose, httpSuite, oneOfEachOperation } from "@gatewarden/conformance"
import { hostDoors } from "./hostDoors.ts"

/** What holds of every request on each host; each operation on one of them in turn, because no host knows of operations. */
const dealtTo = (index: number): Choose => {
  // The first group is what holds of every request.
  let groups = 0
  return (cases, group) => {
    const at = groups++
    return at === 0 || at % hosts.length === index ? oneOfEachOperation(cases, group) : []
  }
}

const hosts = Object.entries(hostDoors)
for (const [index, [name, options]] of hosts.entries())
  httpSuite(`${name} on the memory store`, () => options, dealtTo(index))
