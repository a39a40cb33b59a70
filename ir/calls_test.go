package ir_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// callGraph is a module in which function i calls those in calls[i], each in so many graphs, and has own nodes besides.
type callGraph struct {
	calls  [][]int
	graphs int
	own    int
}

// module returns the module, whose main function calls function 0.
func (g callGraph) module(t *testing.T) *ir.Module {
	t.Helper()
	var b strings.Builder
	b.WriteString("module \"m\"\nfunc @main() -> () {\n  call d:F0() name \"c\"\n}\n")
	for i, calls := range g.calls {
		fmt.Fprintf(&b, "func @d:F%d() -> () {\n", i)
		for range g.own {
			b.WriteString("  f() name \"n\"\n")
		}
		for k, callee := range calls {
			open, shut := strings.Repeat("f() name \"g\" r() -> () {\n", g.graphs), strings.Repeat("}\n", g.graphs)
			fmt.Fprintf(&b, "%scall d:F%d() name \"c%d\"\n%s", open, callee, k, shut)
		}
		b.WriteString("}\n")
	}
	m, err := ir.Parse("m.ir", b.String())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cycle reports whether function 0 or any other reaches itself.
func (g callGraph) cycle() bool {
	for start := range g.calls {
		seen, todo := make([]bool, len(g.calls)), []int{start}
		for len(todo) > 0 {
			f := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, h := range g.calls[f] {
				if h == start {
					return true
				}
				if !seen[h] {
					seen[h] = true
					todo = append(todo, h)
				}
			}
		}
	}
	return false
}

// nodes counts what a call of function f stands for, and the call itself, without a bound.
func (g callGraph) nodes(f int, known map[int]*big.Int) *big.Int {
	if n := known[f]; n != nil {
		return n
	}
	n := big.NewInt(int64(1 + g.own + g.graphs*len(g.calls[f])))
	for _, h := range g.calls[f] {
		n.Add(n, g.nodes(h, known))
	}
	known[f] = n
	return n
}

// depth is the longest chain of calls and graphs from a call of f on.
func (g callGraph) depth(f int, known map[int]int) int {
	if d, ok := known[f]; ok {
		return d
	}
	d := 0
	for _, h := range g.calls[f] {
		d = max(d, g.graphs+g.depth(h, known))
	}
	known[f] = d + 1
	return d + 1
}

// TestCheckCalls compares the verdict on random call graphs with a count in numbers of any size.
func TestCheckCalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	verdicts := map[string]int{}
	for range 600 {
		g := callGraph{make([][]int, 1+rng.IntN(120)), rng.IntN(3), rng.IntN(3)}
		back, most := rng.IntN(4) == 0, 1+rng.IntN(3)
		for i := range g.calls {
			for range 1 + rng.IntN(most) {
				switch {
				case back && rng.IntN(40) == 0:
					g.calls[i] = append(g.calls[i], rng.IntN(len(g.calls)))
				case i+1 < len(g.calls):
					g.calls[i] = append(g.calls[i], i+1+rng.IntN(min(1+most, len(g.calls)-i-1)))
				}
			}
		}
		err := g.module(t).CheckCalls()
		got := fmt.Sprint(err)
		if g.cycle() {
			verdicts["cycle"]++
			var f int
			if _, scan := fmt.Sscanf(got, `function "d:F%d" calls itself`, &f); scan != nil && !strings.Contains(got, "stand for more") && !strings.Contains(got, "nested deeper") {
				t.Errorf("%v: got %s, want a function that calls itself", g, got)
			}
			continue
		}
		tooMany, tooDeep := false, false
		nodes, depths := map[int]*big.Int{}, map[int]int{}
		for f := range g.calls {
			tooMany = tooMany || new(big.Int).Sub(g.nodes(f, nodes), big.NewInt(1)).Cmp(big.NewInt(1<<22)) > 0
			tooDeep = tooDeep || g.depth(f, depths) > 101 // one is the call in main, or in another
		}
		switch {
		case strings.Contains(got, "stand for more"):
			verdicts["many"]++
			if !tooMany {
				t.Errorf("%v: got %s, for %v nodes", g, got, g.nodes(0, nodes))
			}
		case strings.Contains(got, "nested deeper"):
			verdicts["deep"]++
			if !tooDeep && g.depth(0, depths) != 101 {
				t.Errorf("%v: got %s, for a depth of %d", g, got, g.depth(0, depths))
			}
		case err != nil:
			if !strings.Contains(got, "with names of more than") {
				t.Errorf("%v: %v", g, err)
			}
		default:
			verdicts["fine"]++
			if tooMany || tooDeep {
				t.Errorf("%v: got no error, for %v nodes and a depth of %d", g, g.nodes(0, nodes), g.depth(0, depths))
			}
		}
	}
	for _, verdict := range []string{"cycle", "many", "deep", "fine"} {
		if verdicts[verdict] < 5 {
			t.Errorf("drew %v: too few %q", verdicts, verdict)
		}
	}
}

// chain is n functions that each call the next.
func chain(n, graphs int) callGraph {
	g := callGraph{make([][]int, n), graphs, 1}
	for i := range n - 1 {
		g.calls[i] = []int{i + 1}
	}
	return g
}

// TestCheckCallsLimits shows the limits and their errors.
func TestCheckCallsLimits(t *testing.T) {
	wide := func(calls int) callGraph { // 1, 1025, 2¹⁰(2¹⁰+1), … nodes
		g := callGraph{make([][]int, 3), 0, 1}
		for i := range 2 {
			for range calls {
				g.calls[i] = append(g.calls[i], i+1)
			}
		}
		return g
	}
	long := chain(3, 0).module(t)
	long.Funcs[0].Body.Nodes[1].Name = strings.Repeat("n", 1<<29) // two names begin with it, those of the node and the call in F1
	for name, tt := range map[string]struct {
		m    *ir.Module
		want string
	}{
		"100 calls":       {chain(100, 0).module(t), ""},
		"101 calls":       {chain(101, 0).module(t), `calls of functions and graphs are nested deeper than 100, with those of function "d:F0"`},
		"50 of each":      {chain(51, 1).module(t), `calls of functions and graphs are nested deeper than 100, with those of function "d:F0"`},
		"49 of each":      {chain(50, 1).module(t), ""},
		"100,000 calls":   {chain(100_000, 0).module(t), `calls of functions and graphs are nested deeper than 100, with those of function "d:F99899"`},
		"1.0 million":     {wide(1000).module(t), ""},
		"4.2 million":     {wide(2048).module(t), `calls of functions stand for more than 4194304 nodes, with those of function "d:F1"`},
		"long names":      {long, `calls of functions stand for nodes with names of more than 1073741824 bytes, with those of function "d:F1"`},
		"itself":          {callGraph{calls: [][]int{{0}}}.module(t), `function "d:F0" calls itself`},
		"each other":      {callGraph{calls: [][]int{{1}, {2}, {1}}}.module(t), `function "d:F1" calls itself`},
		"not called":      {callGraph{calls: [][]int{{}, {1}}}.module(t), `function "d:F1" calls itself`},
		"in graphs":       {callGraph{calls: [][]int{{1}, {0}}, graphs: 2}.module(t), `function "d:F1" calls itself`},
		"calls of no one": {callGraph{calls: [][]int{{9}}}.module(t), ""}, // Verify reports that
	} {
		if got := tt.m.CheckCalls(); got == nil && tt.want != "" || got != nil && got.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", name, got, tt.want)
		}
	}
}

// TestCheckCallsTraining: the nodes of algorithms and initializations count, too, and with those of the model.
func TestCheckCallsTraining(t *testing.T) {
	const limit = 1 << 22
	var b strings.Builder
	b.WriteString("module \"m\"\nfunc @main() -> () {\n  call d:F0() name \"c\"\n}\n")
	for i := range 22 { // half of the limit, and some
		fmt.Fprintf(&b, "func @d:F%d() -> () {\n  call d:F%d() name \"c\"\n", i, i+1)
		if i > 2 {
			fmt.Fprintf(&b, "  call d:F%d() name \"c\"\n", i+1)
		}
		b.WriteString("}\n")
	}
	b.WriteString("func @d:F22() -> () {\n  f() name \"n\"\n  f() name \"n\"\n}\n")
	for _, part := range []string{"", "training { algorithm func @a() -> () {\n call d:F0() name \"c\"\n} }", "training { init func @a() -> () {\n call d:F0() name \"c\"\n} }"} {
		m, err := ir.Parse("m.ir", b.String()+part)
		if err != nil {
			t.Fatal(err)
		}
		err = m.CheckCalls()
		if part == "" && err != nil || part != "" && (err == nil || !strings.Contains(err.Error(), fmt.Sprint(limit))) {
			t.Errorf("%q: got %v", part, err)
		}
	}
}
