package runtime_test

import (
	"fmt"
	"log"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// kettle is what bbgen generates of a module that waits three minutes: the frame of an execution, and its blocks.
type kettle struct{ runtime.Frame }

func (k *kettle) Run(e *runtime.Engine, block int) error {
	switch block {
	case 0:
		e.After(&k.Frame, 0, int64(3*time.Minute))
	case 1:
		e.Publish(&k.Frame, "tea")
	}
	return nil
}

// program is what bbgen generates of a class of peers: tables that describe the modules.
var program = runtime.Partition{Class: "kitchen", Modules: []runtime.Module{{
	Name:   "kettle",
	New:    func() runtime.Body { return new(kettle) },
	Cuts:   []runtime.Cut{{Kind: runtime.TimerCut, Name: "boiled"}},
	Blocks: []runtime.Block{{Name: "heat", Starts: 1}, {Name: "pour", Wait: 1}},
}}}

// A host tells a Node what happened and what time it is, and does what the Node asks for. The time of this host
// is a number that jumps to the Node's next timer.
func Example() {
	self, err := wire.PeerIDOf([]byte("a public key of Ed25519: 32 byte"))
	if err != nil {
		log.Fatal(err)
	}
	n, err := runtime.New(runtime.Config{Self: self, Incarnation: 1}, &program)
	if err != nil {
		log.Fatal(err)
	}
	now, begun := int64(0), false
	for {
		for out, ok := n.Poll(now); ok; out, ok = n.Poll(now) {
			if out.Kind == runtime.Tell { // a host of several peers also has to Send
				fmt.Println(time.Duration(now), out.Event.Kind, out.Event.Name)
			}
		}
		if !begun {
			begun = true
			if _, err := n.Invoke(now, "kettle"); err != nil {
				log.Fatal(err)
			}
			continue
		}
		at, ok := n.WakeAt()
		if !ok {
			return
		}
		now = at
	}
	// Output:
	// 0s phase bootstrap
	// 0s phase running
	// 3m0s published tea
	// 3m0s finished
}
