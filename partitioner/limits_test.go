package partitioner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/wire"
)

// paired returns a program that waits for each two of n timers.
func paired(n int) string {
	var b strings.Builder
	b.WriteString("module \"paired\"\nopset 20, \"ai.bytesandbrains.syscall\" 1\n\nfunc @main(%a.x: float32[4]) -> () {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%t%d = \"ai.bytesandbrains.syscall\":After() {delay_ns = %d} @a\n", i, i+1)
	}
	for i := range n {
		for k := range i {
			fmt.Fprintf(&b, "  %%n%d_%d = \"ai.bytesandbrains.syscall\":AppNotify(%%t%d, %%t%d) {name = \"n\"} @a\n", i, k, i, k)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// A module has as many blocks as the engine has bits for, and each combination of cut points is a block.
func TestManyBlocks(t *testing.T) {
	p, err := partitioner.Make(compiled(t, "paired", paired(20)), partitioner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Parts[0].Modules[0]; len(m.Cuts) != 20 || len(m.Blocks) != 20*19/2+1 {
		t.Errorf("%d cut points and %d blocks, want 20 and 191", len(m.Cuts), len(m.Blocks))
	}
	if testing.Short() {
		return
	}
	_, err = partitioner.Make(compiled(t, "paired", paired(46)), partitioner.Options{})
	want := "paired: module start of a has 1036 blocks, want at most 1024: divide it"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An operator that nobody knows is refused where it stands, also by callers that run no passes before.
func TestUnknownOperator(t *testing.T) {
	m, err := ir.Parse("m", "module \"m\"\nopset 20\n\nfunc @main(%a.x: float32[4]) -> () {\n  %y = Nonsense(%a.x) @a at \"a.go:3\"\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = partitioner.Make(m, partitioner.Options{})
	if want := `m: a.go:3: node "y" (Nonsense): there is no such operator`; err == nil || !strings.HasSuffix(want, err.Error()) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Calls are inlined before: that is not for the author to mend.
func TestNotInlined(t *testing.T) {
	m := compiled(t, "edges", twoEdges)
	m.Funcs = append(m.Funcs, m.Main)
	defer func() {
		if got := fmt.Sprint(recover()); got != "BUG: the program's calls are not inlined" {
			t.Errorf("got %s", got)
		}
	}()
	partitioner.Make(m, partitioner.Options{})
}

// summed is a program whose peers sum twice.
const summed = `module "summed"
opset 20, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1

func @main(%a.x: float32[4]) -> (%a.y) {
  %all = "ai.bytesandbrains.syscall":Peers() {class = "a"} @a
  %s = "ai.bytesandbrains.wire":AllReduce(%all, %a.x) {port = "s"} @a at "a.go:3"
  %a.y = "ai.bytesandbrains.wire":AllReduce(%all, %s) {port = "t"} @a at "a.go:4"
}
`

// The ids of collectives differ like those of other edges.
func TestCollisionOfCollectives(t *testing.T) {
	_, err := partitioner.Make(compiled(t, "summed", summed), partitioner.Options{}.WithHash(func(string) wire.EdgeID { return 7 }))
	want := `a.go:4: node "a.y" (ai.bytesandbrains.wire:AllReduce): edge a.t has the id of edge a.s (a.go:3): give one of them another name`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Without a bandwidth and a latency, those of a usual link are assumed, and one peer of each class.
func TestEstimateDefaults(t *testing.T) {
	p, err := partitioner.Make(compiled(t, "edges", twoEdges), partitioner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain := partitioner.Estimate(p, partitioner.CostOptions{})
	same := partitioner.Estimate(p, partitioner.CostOptions{Bandwidth: target.Default.Peer.Bandwidth, Latency: target.Default.Peer.Latency, Peers: map[string]int{"a": 1, "b": 1}})
	if plain.String() != same.String() || plain.Seconds <= 0 {
		t.Errorf("got\n%s\nwant\n%s", plain, same)
	}
	slow := partitioner.Estimate(p, partitioner.CostOptions{Latency: time.Hour})
	if slow.Seconds < 3600 || slow.Bytes != plain.Bytes {
		t.Errorf("with a latency of an hour: %v seconds for %d bytes, want an hour and %d", slow.Seconds, slow.Bytes, plain.Bytes)
	}
}
