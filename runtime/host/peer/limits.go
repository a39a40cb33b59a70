package peer

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// limitsOf returns the limits of the options, or those of the machine.
func limitsOf(o *Options, m *machine.Machine) limits.Limits {
	if o.Edge {
		return limits.Edge()
	}
	dir := os.TempDir()
	if o.State != "" {
		dir = o.State
	}
	return limitsFor(m, diskFor(dir))
}

// limitsFor returns the limits of a machine with disk bytes for values.
//
// The disk may be full now and have room later, so its limit is at least that of the memory. The spool
// determines the room at any time.
func limitsFor(m *machine.Machine, disk uint64) limits.Limits {
	memory := m.Memory
	if memory == 0 {
		memory = machine.UsualMemory
	}
	return limits.For(limits.Machine{
		Memory:      int64(min(memory, math.MaxInt64)),
		Disk:        int64(min(max(disk, memory/2), math.MaxInt64)),
		Descriptors: int(min(m.Descriptors, math.MaxInt32)),
	})
}

// diskFor returns how many bytes the files of values in a state directory may use: those of existing values,
// and the free space. The directory need not exist yet.
func diskFor(dir string) uint64 {
	var kept uint64
	values, _ := os.ReadDir(filepath.Join(dir, state.ValuesDir))
	for _, v := range values {
		if info, err := v.Info(); err == nil {
			kept += uint64(info.Size())
		}
	}
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			free, ok := machine.Free(dir)
			if !ok {
				free = machine.UsualDisk
			}
			return kept + free
		}
		dir = filepath.Dir(dir)
	}
}

// limitsText describes limits for users.
func limitsText(l *limits.Limits) string {
	return fmt.Sprintf("%s of values in memory, %s in files, %s to send, %s received and not read; %d executions, %d peers",
		live.Bytes(int64(l.Held)), live.Bytes(l.Spooled), live.Bytes(int64(l.OutboundBytes)), live.Bytes(int64(l.IngressBytes)), l.Executions, l.Peers)
}

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
	h.Limits = limitsOf(h.options, &m)
	h.threads = m.Threads()
	if h.looks {
		return
	}
	cpu.SetThreads(m.Threads())
	tensor.SetLimit(m.Memory)
	h.log.Debug("the machine", "memory", m.Memory, "processors", m.CPUs, "descriptors", m.Descriptors, "threads", cpu.Threads(),
		"strangers", h.budget.greetings, "pages", h.budget.pages, "files", h.budget.files, "limits", limitsText(&h.Limits))
}

// newSpool opens a spool that is limited to the resources of the machine.
func (h *host) newSpool() (*spool.Spool, error) {
	if h.state == nil {
		return spool.New(disk.OS, "", h.budget.files, h.log)
	}
	return spool.New(h.disk, h.state.Values(), h.budget.files, h.log)
}
