package project

import (
	"fmt"
	"slices"
	"strings"
)

// networks are the packages below runtime/host that are modules of their own, so that only programs that use
// them have their dependencies. The first is the preferred one.
var networks = []string{"libp2p", "nats"}

func networkModule(name string) string { return Module + "/runtime/host/" + name }

// requiredNetworks returns the networks that a module requires.
func requiredNetworks(mod []byte) (list []string) {
	for _, n := range networks {
		if requires(mod, networkModule(n)) {
			list = append(list, n)
		}
	}
	return list
}

// Has reports whether the module that contains home requires the module of a network.
func (h Home) Has(network string) bool { return slices.Contains(h.Networks, network) }

// Network selects the networks of a program's peers in home, by the names of packages below runtime/host: the
// first is the default, and the others are available with the peers' flag -host. An empty name selects
// according to the requirements of home; note then explains what was not selected. A network that needs a
// broker is not the default.
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

// getNetwork describes how to make a network available.
func (h Home) getNetwork(name string) string {
	get := "go get " + networkModule(name)
	if name == "nats" {
		get = "go get -tool " + networkModule(name) + "/broker" // for bbgen run, which starts a broker
	}
	if h.Own {
		return fmt.Sprintf("generate into a module that requires bbgen, and run %q in it", get)
	}
	return fmt.Sprintf("run %q and generate again", get)
}
