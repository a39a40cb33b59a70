// Package deploy makes everything needed to ship generated programs: binaries for several platforms with
// checksums and SBOMs, container images, and the configuration of systemd, Compose, Kubernetes and Nomad.
//
// The output is reproducible: no file contains a time, a path of the machine or a random number.
package deploy
