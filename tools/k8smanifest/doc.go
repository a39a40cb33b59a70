// Package k8smanifest checks the manifests that "bbgen deploy --k8s" writes against the types of Kubernetes' own API. It has
// tests only, and needs no cluster.
package k8smanifest
