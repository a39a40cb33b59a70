package peer

import (
	"math"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// budget divides the descriptors of the process. The rest is for members' connections and for the state, so
// that strangers never keep the state from being written.
type budget struct {
	greetings int // connections of strangers that prove a key, and as many that send a Hello
	pages     int // connections to -http
	files     int // of large values
	parallel  int // parallel streams of members
}

// The values if the number of descriptors is unknown.
const (
	maxGreetings = 256
	maxPages     = 64
	maxParallels = 1024
)

func budgetOf(m *machine.Machine) budget {
	if m.Descriptors == 0 {
		return budget{maxGreetings, maxPages, math.MaxInt, maxParallels}
	}
	n := int(min(m.Descriptors, math.MaxInt32))
	return budget{greetings: min(max(n/8, 2), maxGreetings), pages: min(max(n/16, 2), maxPages), files: n / 4, parallel: min(n/16, maxParallels)}
}

// fit limits the host to the resources of the machine.
func (h *host) fit() {
	m := machine.Read()
	h.machine, h.budget = m, budgetOf(&m)
	h.limits = limitsOf(h.options, &m)
	h.times.greetings = h.budget.greetings
	h.threads = m.Threads()
	if h.looks {
		return
	}
	cpu.SetThreads(m.Threads())
	tensor.SetLimit(m.Memory)
	h.log.Debug("the machine", "memory", m.Memory, "processors", m.CPUs, "descriptors", m.Descriptors, "threads", cpu.Threads(),
		"strangers", h.budget.greetings, "pages", h.budget.pages, "files", h.budget.files, "limits", limitsText(&h.limits))
}

// newSpool opens a spool that is limited to the resources of the machine.
func (h *host) newSpool() (*spool.Spool, error) {
	if h.state == nil {
		return spool.New(disk.OS, "", h.budget.files, h.log)
	}
	return spool.New(h.disk, h.state.Values(), h.budget.files, h.log)
}
