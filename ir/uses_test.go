package ir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

func parse(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse("test.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// value returns the value with that name.
func value(m *ir.Module, name string) (v *ir.Value) {
	m.Main.Values(func(x *ir.Value) {
		if x.Name == name {
			v = x
		}
	})
	return v
}

func ops(nodes []*ir.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Op)
	}
	return strings.Join(out, " ")
}

const nested = `module "nested"

func @main(%x: float32[2], %c: bool[]) -> (%y, %x) {
  state %s: float32[2] statistic -> %x

  %a = A(%x, %x)
  %y = If(%c)
    then_branch() -> (%x) {
      Log(%x, %s)
    }
    else_branch() -> (%b) {
      %b = B(%a, %s)
    }
}
`

// TestUses checks that uses in nested regions are found, in order.
func TestUses(t *testing.T) {
	m := parse(t, nested)
	x := value(m, "x")
	var got []string
	for _, u := range m.Main.Uses()[x] {
		switch {
		case u.Node != nil:
			got = append(got, u.Node.Op)
		case u.Region != nil:
			got = append(got, "result of "+u.Region.Name)
		default:
			got = append(got, "state "+u.State.Param.Name)
		}
	}
	want := []string{"A", "A", "Log", "result of then_branch", "result of ", "state s"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestReplaceAll checks that all uses of a value are replaced, also in nested regions.
func TestReplaceAll(t *testing.T) {
	m := parse(t, nested)
	x, s := value(m, "x"), value(m, "s")
	m.Main.ReplaceAll(x, s)
	if n := len(m.Main.Uses()[x]); n != 0 {
		t.Errorf("%d uses are left", n)
	}
	if n := len(m.Main.Uses()[s]); n != 8 {
		t.Errorf("%d uses of the other, want 8", n)
	}

	// A chain leads to its end, and a circle does not cause an endless loop.
	a, b, c := &ir.Value{Name: "a"}, &ir.Value{Name: "b"}, &ir.Value{Name: "c"}
	r := &ir.Region{Results: []*ir.Value{a}}
	r.Replace(map[*ir.Value]*ir.Value{a: b, b: c})
	if r.Results[0] != c {
		t.Errorf("got %s, want c", r.Results[0].Name)
	}
	r.Replace(map[*ir.Value]*ir.Value{c: b, b: c})
}

// TestCaptures checks which outer values a region reads.
func TestCaptures(t *testing.T) {
	m := parse(t, nested)
	var got []string
	for _, r := range value(m, "y").Def.Regions {
		for _, v := range r.Captures() {
			got = append(got, v.Name)
		}
		got = append(got, "|")
	}
	if want := []string{"x", "s", "|", "a", "s", "|"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := m.Main.Body.Captures(); len(got) != 1 { // the state
		t.Errorf("the body captures %d values, want 1", len(got))
	}
}

// TestSort checks that nodes follow the producers of what they and their regions read.
func TestSort(t *testing.T) {
	m := parse(t, `module "sort"

func @main(%x, %c: bool[]) -> () {
  First(%x)
  Reads(%late)
  %y = If(%c)
    then_branch() -> (%u) {
      %u = U(%v)
      %v = V(%late)
    }
  Second(%x)
  %late = Late(%x)
  Third(%y)
}
`)
	if err := m.Main.Body.Sort(); err != nil {
		t.Fatal(err)
	}
	if got, want := ops(m.Main.Body.Nodes), "First Second Late Reads If Third"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := ir.Verify(m); err != nil {
		t.Error(err)
	}
	text := ir.Print(m)
	if err := m.Main.Body.Sort(); err != nil || ir.Print(m) != text {
		t.Errorf("sorting twice changes the order, or fails: %v", err)
	}
}

// TestSortCycle checks that a graph with a cycle is refused.
func TestSortCycle(t *testing.T) {
	for _, text := range []string{
		"%a = A(%b)\n %b = B(%a)",
		"%a = A(%a)",
		"After(%a)\n %a = If(%x)\n then_branch() -> (%t) { %t = T(%a) }",
	} {
		m := parse(t, `module "cycle" func @main(%x) -> () { `+text+` }`)
		err := m.Main.Body.Sort()
		if err == nil || !strings.Contains(err.Error(), "waits for itself") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestRewrite checks that Rewrite replaces and RemoveIf removes nodes of all regions, each visited once.
func TestRewrite(t *testing.T) {
	m := parse(t, nested)
	var seen []string
	m.Main.Body.Rewrite(func(n *ir.Node) []*ir.Node {
		seen = append(seen, n.Op)
		if n.Op == "Log" {
			return []*ir.Node{{Op: "Before"}, n, {Op: "After"}}
		}
		return []*ir.Node{n}
	})
	if got, want := strings.Join(seen, " "), "A Log B If"; got != want {
		t.Errorf("saw %s, want %s", got, want)
	}
	branch := value(m, "y").Def.Region("then_branch")
	if got, want := ops(branch.Nodes), "Before Log After"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	seen = nil
	m.Main.Body.RemoveIf(func(n *ir.Node) bool {
		seen = append(seen, n.Op)
		return n.Op == "Before" || n.Op == "A"
	})
	if got, want := strings.Join(seen, " "), "After Log Before B If A"; got != want {
		t.Errorf("saw %s, want %s", got, want)
	}
	if got, want := ops(branch.Nodes)+"; "+ops(m.Main.Body.Nodes), "Log After; If"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
