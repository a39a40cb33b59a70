package peer

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ranOn makes the state directory of a peer that has run.
func ranOn(t *testing.T, s *trust.Self) string {
	t.Helper()
	dir := t.TempDir()
	if err := state.Make(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	if err := trust.WriteSelf(disk.OS, dir, s); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A peer keeps its rank, unless it is given another one.
func TestRankIsKept(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	k, err := trust.NewKey(key)
	if err != nil {
		t.Fatal(err)
	}
	id := trust.IDOf(k)
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: id, Class: "x", Rank: 3}})
	rank := func(want int, p Program, o Options) {
		t.Helper()
		o.Key, o.State = key, dir
		h := &host{program: p, options: &o, disk: disk.OS, links: map[wire.PeerID]*link{}}
		h.limits.Wire = wireLimits
		if err := h.identity(nil); err != nil || h.config.Rank != want {
			t.Errorf("rank %d, %v; want %d", h.config.Rank, err, want)
		}
	}
	rank(3, Program{Class: "x"}, Options{Rank: -1})
	rank(5, Program{Class: "x"}, Options{Rank: 5})
	rank(0, Program{Class: "y"}, Options{Rank: -1})
}

// A peer in the state directory of another class says so, when it cannot use the snapshot.
func TestOtherClass(t *testing.T) {
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: testID(1), Class: "x"}})
	for class, want := range map[string]string{"x": "", "y": ": " + dir + " holds the state of class x, and this peer is of class y"} {
		h := &host{program: Program{Class: class}, options: &Options{State: dir}, disk: disk.OS}
		if got := h.otherClass(); got != want {
			t.Errorf("a %s: %q, want %q", class, got, want)
		}
	}
}

// A peer uses the data folder of its last run, unless it is given another one.
func TestDataIsKept(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	k, err := trust.NewKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, other := t.TempDir(), t.TempDir()
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: trust.IDOf(k), Class: "x", Rank: 3}, Data: data})
	find := func(p Program, given string) (string, error) {
		h := &host{program: p, options: &Options{Key: key, State: dir, Rank: -1, Data: given}, disk: disk.OS, links: map[wire.PeerID]*link{}}
		h.limits.Wire = wireLimits
		err := h.identity(nil)
		return h.options.Data, err
	}
	for _, tt := range []struct{ class, given, want string }{{"x", "", data}, {"x", other, other}, {"y", "", ""}} {
		if got, err := find(Program{Class: tt.class}, tt.given); err != nil || got != tt.want {
			t.Errorf("a %s with -data %q has its data in %q, %v; want %q", tt.class, tt.given, got, err, tt.want)
		}
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	want := "-data " + data + ": there is no such folder, which the state directory names: say where it is now"
	if _, err := find(Program{Class: "x"}, ""); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
