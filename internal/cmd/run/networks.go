package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// The lines of a peer's main with its default network, and with all networks that -host chooses from.
var (
	defaultNetwork = regexp.MustCompile(`(?m)^\s*Transport:\s+(\w+)\.New,$`)
	allNetworks    = regexp.MustCompile(`(?m)^\s*Hosts:.*$`)
	oneNetwork     = regexp.MustCompile(`"(\w+)": \w+\.New\b`)
)

// networks returns the networks that the peers were generated with: the default one, and those that -host accepts. Both
// are empty if a main is not one of bbgen's.
func (j *job) networks() (normal string, choice []string) {
	b, err := os.ReadFile(filepath.Join(j.dir, j.classes[0].name, "main.go"))
	if err != nil {
		return "", nil
	}
	if m := defaultNetwork.FindSubmatch(b); m != nil {
		normal = string(m[1])
	}
	for _, m := range oneNetwork.FindAllSubmatch(allNetworks.Find(b), -1) {
		choice = append(choice, string(m[1]))
	}
	return normal, choice
}

// checkHost refuses a network that the peers were not generated with, before they are built.
func (j *job) checkHost() error {
	normal, choice := j.networks()
	if j.host == "" || normal == "" || slices.Contains(choice, j.host) {
		return nil
	}
	if j.host == normal {
		j.host = "" // a peer with one network has no choice
		return nil
	}
	if choice == nil {
		choice = []string{normal}
	}
	return cli.Usagef("--host %s: the peers in %s were generated with %s", j.host, j.dir, strings.Join(choice, ", "))
}

// meets reports whether processes communicate through a broker.
func (j *job) meets() bool {
	normal, choice := j.networks()
	return j.host == "" && normal == "nats" || j.host == "nats" && slices.Contains(choice, "nats")
}
