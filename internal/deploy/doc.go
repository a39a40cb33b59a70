// Package deploy makes everything needed to ship generated programs: binaries for several platforms with
// checksums and SBOMs, container images, and the configuration of systemd, Compose, Kubernetes and Nomad.
//
// The output is reproducible: no file contains a time, a path of the machine or a random number.
//
// deploy.go has the order of the work. program.go and main_file.go read the generated program. What is made
// is in build and sums, sbom, sign, image and layout, and the manifests in a file for each system: systemd,
// compose, kubernetes, nomad. stage.go replaces what an earlier run has made.
package deploy
