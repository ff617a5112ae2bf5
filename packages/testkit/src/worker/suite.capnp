# The suite in workerd. Unlike the example it may reach loopback, where the file stores of providers listen.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "suite", worker = .worker),
    (name = "internet", network = (allow = ["local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "suite")]
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/bundle.js")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
  bindings = [(name = "UPSTREAM", fromEnvironment = "UPSTREAM")]
);
