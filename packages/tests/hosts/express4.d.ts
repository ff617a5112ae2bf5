/** Express 4 under a name of its own; what the hosts use of it is the same in Express 5. */
declare module "express4" {
  import express from "express"
  export default express
}
