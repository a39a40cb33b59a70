package peer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// Program describes the part of a distributed program that a generated main runs.
type Program struct {
	Name        string // of the program
	Class       string // of the peers that run this binary
	Fingerprint []byte // of the whole program
	BuildID     string // of this binary, for logs

	// Classes lists the classes of all peers of the program. If it is empty, names of classes are not checked.
	Classes []string

	// Partition makes the partition that the peer runs, once for each start of the process.
	Partition func(runtime.Env) (*runtime.Partition, error)

	// Start, if not nil, is called when a peer without a snapshot begins to run, to invoke modules. After a
	// restore these invocations have already been made.
	Start func(*runtime.Node) error

	// Tell, if not nil, is called with all events of the node, on the goroutine that owns the node.
	Tell func(runtime.Event)

	// Private says that results of modules are for callers of [Peer.Invoke] alone, who may reuse the memory of a
	// [tensor.Large] one: neither -events nor -out shows them.
	Private bool

	// Transport makes the network of the peer.
	Transport func(TransportConfig) (Transport, error)

	// Hosts are the networks that -host chooses from, by name.
	Hosts Hosts

	binary string // the executable of the process, if it is the peer's own; "": it is another program's
}

// Hosts are networks by name.
type Hosts map[string]func(TransportConfig) (Transport, error)

// checkClass returns an error if the program has no such class.
func (p *Program) checkClass(class string) error {
	for _, c := range classes.Split(class) {
		if len(p.Classes) > 0 && !slices.Contains(p.Classes, c) {
			return fmt.Errorf("the program has no class %q; it has %s", c, strings.Join(p.Classes, ", "))
		}
	}
	return nil
}

// choose sets the network that -host names.
func (p *Program) choose(host string) error {
	if host == "" {
		return nil
	}
	t := p.Hosts[host]
	if t == nil {
		return fmt.Errorf("-host %s: this peer was generated with %s", host, p.Hosts)
	}
	p.Transport = t
	return nil
}

// String lists the names.
func (h Hosts) String() string {
	if len(h) == 0 {
		return "one network alone"
	}
	return strings.Join(slices.Sorted(maps.Keys(h)), ", ")
}

// version returns the version of the binary, which writes snapshots with a layout.
func (p *Program) version(layout uint64) state.Version {
	return state.Version{Program: p.Name, Class: p.Class, Fingerprint: fmt.Sprintf("%x", p.Fingerprint), Layout: fmt.Sprintf("%016x", layout), Build: p.BuildID}
}
