package peer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
)

// Program is what a generated main says of its part of a distributed program.
type Program struct {
	Name        string // of the program
	Class       string // of the peers that run this binary
	Fingerprint []byte // of the whole program
	BuildID     string // of this binary, for logs

	// Classes are those of all peers of the program. Without them no name of a
	// class can be told to be wrong.
	Classes []string

	// Partition makes what the peer runs, once for each start of the process.
	Partition func(runtime.Env) (*runtime.Partition, error)

	// Start, if not nil, is called when a peer without a past begins to run: it
	// invokes what there is to invoke. One that resumes from a snapshot is in
	// the middle of it already.
	Start func(*runtime.Node) error

	// Tell, if not nil, hears of all that happens in the node, on the goroutine
	// that owns it.
	Tell func(runtime.Event)

	// Transport makes the network that the peer talks on.
	Transport func(TransportConfig) (Transport, error)

	// Hosts are the networks that -host chooses from, by name.
	Hosts Hosts

	binary string // of the process, if that is the peer's own; "": it is another program's
}

// Hosts are networks by name.
type Hosts map[string]func(TransportConfig) (Transport, error)

// checkClass says if peers of a class cannot be, as the program has no such class.
func (p *Program) checkClass(class string) error {
	for _, c := range runtime.Classes(class) {
		if len(p.Classes) > 0 && !slices.Contains(p.Classes, c) {
			return fmt.Errorf("the program has no class %q; it has %s", c, strings.Join(p.Classes, ", "))
		}
	}
	return nil
}

// choose has the peer talk on the network that -host names.
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
