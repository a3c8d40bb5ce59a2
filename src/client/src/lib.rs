//! Kube::Client construction: in process, kubeconfig, proxied; read-only seal; member clients.
