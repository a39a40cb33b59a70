package peer

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/limits"
)

// Default limits never exceed the resources of the machine, nor those of a usual machine if they are unknown.
func TestLimitsFor(t *testing.T) {
	for _, m := range []machine.Machine{{}, {Memory: 64 << 20, Descriptors: 64}, {Memory: 1 << 30, Descriptors: 1024}, {Memory: 64 << 30, Descriptors: 1 << 20}} {
		for _, disk := range []uint64{0, 1 << 10, 1 << 30, 1 << 40} {
			l := limitsFor(&m, disk)
			memory, free := m.Memory, disk
			if memory == 0 {
				memory = machine.UsualMemory
			}
			if all := uint64(l.Held) + uint64(l.OutboundBytes) + 3*uint64(l.IngressBytes); all > memory*3/4 {
				t.Errorf("%+v: %d bytes in memory", m, all)
			}
			if uint64(l.Spooled) > max(free/2, memory/4) || l.Spooled < int64(memory/4) {
				t.Errorf("%+v with %d bytes of disk: %d in files", m, disk, l.Spooled)
			}
			if m.Descriptors > 0 && uint64(l.Peers) > m.Descriptors/2 {
				t.Errorf("%+v: %d peers", m, l.Peers)
			}
		}
	}
}

// A peer with -edge has the limits of a small device, whatever the machine, and other peers those of their
// machine.
func TestLimitsOfOptions(t *testing.T) {
	m := machine.Machine{Memory: 64 << 20}
	if l := limitsOf(&Options{Edge: true}, &m); !reflect.DeepEqual(l, limits.Edge()) {
		t.Errorf("a small device has %+v", l)
	}
	if l := limitsOf(&Options{State: t.TempDir()}, &m); l.Held != 16<<20 {
		t.Errorf("of %d bytes %d may be held", m.Memory, l.Held)
	}
	h := newPagesHost(t)
	h.fit()
	if got, want := ofMemory(h.Limits), ofMemory(limitsOf(h.options, &h.machine)); !reflect.DeepEqual(got, want) {
		t.Errorf("the host has %+v, want %+v", got, want)
	}
	if text := limitsText(&h.Limits); !strings.Contains(textOf(h.report().Page()), text) {
		t.Errorf("the status page does not say %q", text)
	}
}

// ofMemory leaves out the limits of the disk, which other processes may fill meanwhile.
func ofMemory(l limits.Limits) limits.Limits {
	l.Spooled, l.Wire.Bulk = 0, 0
	return l
}

// Existing values count as room for values, and a missing directory is on the disk of its parent.
func TestDiskFor(t *testing.T) {
	dir := t.TempDir()
	if n, ok := machine.Free(dir); ok && n == 0 {
		t.Skip("the disk is full")
	}
	if diskFor(filepath.Join(dir, "a", "b")) == 0 {
		t.Error("a directory to be made has no disk")
	}
	values := filepath.Join(dir, state.ValuesDir)
	if err := os.Mkdir(values, 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(values, "1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(values, "1"), 1<<40); err != nil {
		t.Skip("no files with holes here")
	}
	if n := diskFor(dir); n < 1<<40 {
		t.Errorf("there is room for %d bytes", n)
	}
}

// However few descriptors there are, strangers, pages and values together leave some for the state and for
// members.
func TestBudget(t *testing.T) {
	for _, n := range []uint64{32, 64, 200, 1024, 4096, 1 << 20, 1 << 40} {
		b := budgetOf(&machine.Machine{Descriptors: n})
		if all := uint64(2*b.greetings + b.pages + b.files + b.parallel); all > n*5/8 || b.greetings < 1 || b.pages < 1 || b.files < 1 {
			t.Errorf("of %d descriptors %+v takes %d", n, b, all)
		}
	}
}

// A peer without a place for its payloads waits longer each time, until one of them gets a place.
func TestRest(t *testing.T) {
	h := newPagesHost(t)
	l := h.links[testID(2)]
	last := int64(0)
	for range 10 {
		h.rest(l, conversation.ErrNoPlace)
		wait := l.restTil - h.Now()
		if wait < last/2 || wait > int64(maxRest) || h.resting(l) == nil {
			t.Fatalf("it waits %d ns after %d ns", wait, last)
		}
		last = wait
	}
	if last < int64(maxRest)/2 {
		t.Errorf("after ten times it waits %d ns", last)
	}
	l.rested()
	if h.rest(l, conversation.ErrNoPlace); l.restTil-h.Now() > int64(firstRest) {
		t.Error("it waits as if nothing had found its place")
	}
}
