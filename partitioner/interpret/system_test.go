package interpret

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// doubled is a program in which each client doubles a value of the server, which emits what its aggregator makes of them.
const doubled = `module "doubled"
opset 20, "ai.bytesandbrains.role.aggregator" 1, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1

func @main(%server.x: float32[2]) -> (%server.sum) {
  %clients = "ai.bytesandbrains.syscall":Peers() {class = "client"} @server
  %asked = "ai.bytesandbrains.wire":Send(%server.x, %clients) {port = "x", to = "client"} @server
  %got = "ai.bytesandbrains.wire":Recv(%clients) {port = "y", types = ["float32[2]"]} @server
  %taken = "ai.bytesandbrains.role.aggregator":Contribute(%got) {slot = "agg"} @server
  %server.sum = "ai.bytesandbrains.role.aggregator":Aggregate(%taken) {slot = "agg", quorum = 3, within = 0} @server
  %x = "ai.bytesandbrains.wire":Recv() {port = "x", types = ["float32[2]"]} @client
  %y = Add(%x, %x) @client
  %servers = "ai.bytesandbrains.syscall":Peers() {class = "server"} @client
  %sent = "ai.bytesandbrains.wire":Send(%y, %servers) {port = "y", to = "server"} @client
}
`

// cut compiles and cuts a program.
func cut(t *testing.T, name, text string, o partitioner.Options) *partitioner.Program {
	t.Helper()
	m, err := ir.Parse(name, text)
	if err == nil {
		err = pass.Run(m, pass.Pipeline, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := partitioner.Make(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// total adds what an aggregator is given.
type total struct {
	sum  []float32
	from []int // the ranks of those who contributed
}

func (a *total) call(_ *Peer, n *ir.Node, from *Peer, in []any) ([]any, error) {
	switch n.Op {
	case "Contribute":
		x, ok := in[0].(*tensor.Tensor)
		if !ok {
			return nil, errors.New("a contribution is not there")
		}
		a.from = append(a.from, from.Rank)
		for i, v := range tensor.Data[float32](x) {
			a.sum[i] += v
		}
		return make([]any, len(n.Out)), nil
	case "Aggregate":
		return []any{tensor.Of(slices.Clone(a.sum), 2)}, nil
	}
	return nil, errors.New("nobody calls " + n.Op)
}

// Values go to the peers that a program names, once each, and back, in any order.
func TestRun(t *testing.T) {
	p := cut(t, "doubled", doubled, partitioner.Options{Unbound: true})
	for seed := range uint64(20) {
		s := New(p, seed, map[string]int{"client": 3})
		a := &total{sum: make([]float32, 2)}
		s.Call = a.call
		if err := s.Run(map[string]tensor.Value{"server.x": tensor.Of([]float32{1, -2}, 2)}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		slices.Sort(a.from)
		if !slices.Equal(a.from, []int{0, 1, 2}) {
			t.Errorf("seed %d: clients %v have contributed, want 0, 1 and 2, once each", seed, a.from)
		}
		got := s.Emitted["server.0.sum"]
		if len(got) != 1 || !slices.Equal(tensor.Data[float32](got[0].(*tensor.Tensor)), []float32{6, -12}) {
			t.Errorf("seed %d: emitted %v, want [6 -12]", seed, got)
		}
	}
}

// A cut that is wrong is noticed: here a part of a program does not send, or not wait for, what the whole does.
func TestWrongCut(t *testing.T) {
	isSend := func(x partitioner.Step) bool { return x.Edge != nil }
	for _, c := range []struct {
		name  string
		spoil func(b *partitioner.Block)
		want  string
	}{
		{"nothing is sent", func(b *partitioner.Block) { b.Steps = slices.DeleteFunc(b.Steps, isSend) }, "blocks have run"},
		{"the value is not computed", func(b *partitioner.Block) {
			b.Steps = slices.DeleteFunc(b.Steps, func(x partitioner.Step) bool { return x.Compute != nil })
		}, "a contribution is not there"},
		{"a block waits for nothing", func(b *partitioner.Block) { b.Wait = nil }, "is not there"},
	} {
		p := cut(t, "doubled", doubled, partitioner.Options{Unbound: true})
		for _, part := range p.Parts {
			if part.Class == "client" {
				for _, b := range part.Modules[0].Blocks {
					c.spoil(b)
				}
			}
		}
		s := New(p, 1, map[string]int{"client": 3})
		s.Call = (&total{sum: make([]float32, 2)}).call
		err := s.Run(map[string]tensor.Value{"server.x": tensor.Of([]float32{1, -2}, 2)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// Executions that a trigger of a peer's own begins run as well, except those of a peer that stops.
func TestTriggers(t *testing.T) {
	const program = `module "triggered"
opset 20, "ai.bytesandbrains.syscall" 1

func @main() -> (%%a.y) {
  const %%x: float32[2] = [1, 2]
  %%begun = "ai.bytesandbrains.syscall":%s @a
  %%a.y = "ai.bytesandbrains.syscall":Gate(%%x, %%begun) @a
  %%told = "ai.bytesandbrains.syscall":AppEmit(%%a.y) {name = "told"} @a
}
`
	for trigger, want := range map[string]int{
		"Pulse()":                               1,
		"Interval() {period_ns = 1000000000}":   1,
		`LifecyclePhase() {phase = "running"}`:  1,
		`LifecyclePhase() {phase = "stopping"}`: 0,
		`EventSource() {kind = "peer_up"}`:      0,
	} {
		p := cut(t, "triggered", fmt.Sprintf(program, trigger), partitioner.Options{Unbound: true})
		got, err := Outcome(p, 1, nil)
		if n := len(got["a.0.told"]); n != want || err != nil {
			t.Errorf("%s: %d outputs, %v, want %d", trigger, n, err, want)
		}
	}
}

// A host that names no peers gives no value to nobody.
func TestPeersOfHost(t *testing.T) {
	const program = `module "named"
opset 20, "ai.bytesandbrains.wire" 1

func @main(%a.to: !peers) -> () {
  const %x: float32[2] = [1, 2]
  %sent = "ai.bytesandbrains.wire":Send(%x, %a.to) {port = "x", to = "b"} @a
  %got = "ai.bytesandbrains.wire":Recv() {port = "x", types = ["float32[2]"]} @b
  %y = Neg(%got) @b
}
`
	p := cut(t, "named", program, partitioner.Options{Unbound: true})
	if got, err := Outcome(p, 1, nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v, want nothing", got, err)
	}
}

// A kernel that fails is told apart from a wrong cut.
func TestKernelFails(t *testing.T) {
	text := strings.NewReplacer("Add", "Div", "float32", "int64").Replace(doubled) // integers that nobody sets are 0
	p := cut(t, "divided", text, partitioner.Options{Unbound: true})
	_, err := Outcome(p, 1, nil)
	if !errors.Is(err, ErrKernel) {
		t.Errorf("got %v, want that a kernel fails", err)
	}
}

// The programs of package partitioner's tests run to their end with components that are not there.
func TestOutcome(t *testing.T) {
	files, err := filepath.Glob("../testdata/cut_*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(b)
		text := func(name string) string {
			for _, f := range a.Files {
				if f.Name == name {
					return string(f.Data)
				}
			}
			return ""
		}
		p := cut(t, filepath.Base(file), text("in.ir"), partitioner.Options{Unbound: text("bound") == "", Command: func(s *partitioner.Slot, _ *ir.Node) bool {
			return slices.Contains(strings.Fields(text("commands")), s.Name)
		}})
		counts := map[string]int{}
		if text("clients") != "" {
			counts["client"] = 3
		}
		for seed := range uint64(3) {
			if _, err := Outcome(p, seed, counts); err != nil {
				t.Errorf("%s, seed %d: %v", filepath.Base(file), seed, err)
			}
		}
	}
}
