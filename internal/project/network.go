package project

import (
	"fmt"
	"slices"
	"strings"
)

// networks are the packages below runtime/host that are modules of their own, so that
// only who wants them has what they depend on: the one that peers talk over first.
var networks = []string{"libp2p", "nats"}

func networkModule(name string) string { return Module + "/runtime/host/" + name }

// requiredNetworks are those that a module requires.
func requiredNetworks(mod []byte) (list []string) {
	for _, n := range networks {
		if requires(mod, networkModule(n)) {
			list = append(list, n)
		}
	}
	return list
}

// Has reports whether the module around home requires that of a network.
func (h Home) Has(network string) bool { return slices.Contains(h.Networks, network) }

// Network chooses what the peers of a program in home talk over, by the names of
// packages below runtime/host: the first is the default, the others are there for
// the peers' flag -host. An empty name leaves the choice to what home requires;
// note then says what was not chosen, and why. What needs a broker is no default.
func (h Home) Network(name string) (hosts []string, note string, err error) {
	all := append([]string{}, networks...)
	all = append(all, "tcp")
	switch {
	case name == "tcp":
		return []string{"tcp"}, "", nil
	case name != "" && !slices.Contains(all, name):
		return nil, "", fmt.Errorf("there is no host %q; there are: %s", name, strings.Join(all, ", "))
	case name != "" && !h.Has(name):
		return nil, "", fmt.Errorf("peers in %s cannot talk over %s, whose module is not required there: %s", h.Dir, name, h.getNetwork(name))
	case name == "" && h.Has("libp2p"):
		name = "libp2p"
	case name == "":
		name, note = "tcp", "peers talk over TLS, without a way through NATs: for libp2p "+h.getNetwork("libp2p")+"; --host tcp says that TLS is meant"
	}
	hosts = []string{name}
	for _, n := range all {
		if n != name && (n == "tcp" || h.Has(n)) {
			hosts = append(hosts, n)
		}
	}
	return hosts, note, nil
}

// getNetwork says what to do to have peers talk over a network.
func (h Home) getNetwork(name string) string {
	get := "go get " + networkModule(name)
	if name == "nats" {
		get = "go get -tool " + networkModule(name) + "/broker" // bbgen run starts one
	}
	if h.Own {
		return fmt.Sprintf("generate into a module that requires bbgen, and run %q in it", get)
	}
	return fmt.Sprintf("run %q and generate again", get)
}
