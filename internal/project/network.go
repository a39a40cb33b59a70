package project

import "fmt"

// libp2pModule is the module of the transport over libp2p. It is one of its own,
// so that only who wants it has what it depends on.
const libp2pModule = Module + "/runtime/host/libp2p"

// Network chooses what the peers of a program in home talk over, by the names of
// packages below runtime/host: the first is the default, the others are there for
// the peers' flag -host. An empty name leaves the choice to what home requires;
// note then says what was not chosen, and why.
func (h Home) Network(name string) (hosts []string, note string, err error) {
	switch {
	case name == "tcp":
		return []string{"tcp"}, "", nil
	case name != "" && name != "libp2p":
		return nil, "", fmt.Errorf("there is no host %q; there are: libp2p, tcp", name)
	case h.Libp2p:
		return []string{"libp2p", "tcp"}, "", nil
	case name == "":
		return []string{"tcp"}, "peers talk over TLS, without a way through NATs: for libp2p " + h.getLibp2p() + "; --host tcp says that TLS is meant", nil
	}
	return nil, "", fmt.Errorf("peers in %s cannot talk over libp2p, whose module is not required there: %s", h.Dir, h.getLibp2p())
}

// getLibp2p says what to do to have peers talk over libp2p.
func (h Home) getLibp2p() string {
	if h.Own {
		return fmt.Sprintf("generate into a module that requires bbgen, and run \"go get %s\" in it", libp2pModule)
	}
	return fmt.Sprintf("run \"go get %s\" and generate again", libp2pModule)
}
