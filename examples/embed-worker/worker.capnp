# Runs the bundle in workerd, the runtime of Cloudflare Workers. What it has of Node is switched off: nothing of it is needed.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "gatewarden", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "gatewarden")]
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/bundle.js")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
  bindings = [(name = "GATEWARDEN_MANAGEMENT_KEY", fromEnvironment = "GATEWARDEN_MANAGEMENT_KEY")]
);
