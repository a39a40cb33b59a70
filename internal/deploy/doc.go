// Package deploy makes what is needed to ship generated programs: binaries for many
// machines with checksums and lists of what is in them, container images, and the
// configuration of systemd, Compose, Kubernetes and Nomad.
//
// The same program and Go give the same bytes: no file has a time, a path of the machine
// or a random number in it.
package deploy
