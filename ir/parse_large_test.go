package ir_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// large makes strings of the text form with n of something.
var large = map[string]func(n int) string{
	"nodes":     inMain(func(i int) string { return fmt.Sprintf("%%y%d = f()", i) }),
	"constants": constants,
	"elided":    inMain(func(i int) string { return fmt.Sprintf("const %%c%d: int8[] = <sha256:0123456789ab 1 elements>", i) }),
	"states":    inMain(func(i int) string { return fmt.Sprintf("state %%s%d: int8[] parameter -> %%s%d", i, i) }),
	"regions":   inMain(func(i int) string { return fmt.Sprintf("f() r() -> (%%y%d) {\n %%y%d = f()\n}", i, i) }),
	"functions": after(func(i int) string { return fmt.Sprintf("func @f%d(%%x) -> (%%x) {}", i) }),
	"trainings": after(func(i int) string {
		return fmt.Sprintf("training { algorithm func @a(%%a%d) -> (%%x) {} init func @b() -> () {} }", i)
	}),
	"bindings":   after(func(i int) string { return "training { update %x = %x }" }),
	"attributes": inMain(func(i int) string { return fmt.Sprintf("f() {a = %d, b = [%d], c = floats [1, 2]}", i, i) }),
	"types":      inMain(func(i int) string { return fmt.Sprintf("%%y%d = f() : seq(optional(float32[s%d, 2*s%d+1]))", i, i, i) }),
}

var constants = inMain(func(i int) string { return fmt.Sprintf("const %%c%d: int8[] = 1", i) })

// inMain returns a text whose main function has n statements, and a parameter.
func inMain(statement func(i int) string) func(n int) string {
	return func(n int) string { return "module \"m\"\nfunc @main(%x) -> (%x) {\n" + repeated(n, statement) + "}\n" }
}

// after returns a text that has a main function with n constants, and n items behind it.
func after(item func(i int) string) func(n int) string {
	return func(n int) string { return constants(n) + repeated(n, item) }
}

func repeated(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// TestParseLinear: what reading, checking and printing a text allocates grows no faster than the text.
func TestParseLinear(t *testing.T) {
	allocated := func(text string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := ir.Parse("m.ir", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		ir.Print(m)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, text := range large {
		const n, times = 500, 8
		small, big := text(n), text(n*times)
		grown := float64(len(big)) / float64(len(small))
		if got := float64(allocated(big)) / float64(allocated(small)); got > 2*grown { // growing slices and maps may double once more
			t.Errorf("%s: a text %.1f times as long allocates %.1f times as much", name, grown, got)
		}
	}
}

// TestParseManyAttributes reads attributes in any order; they are sorted, and a second one of a name is found wherever it
// stands.
func TestParseManyAttributes(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	order := rng.Perm(n)
	text := func(more string) string {
		var b strings.Builder
		b.WriteString("module \"m\"\nfunc @main() -> () {\n  f() {")
		for _, i := range order {
			fmt.Fprintf(&b, "a%d = %d, ", i, i)
		}
		return b.String() + more + "}\n}\n"
	}
	m, err := ir.Parse("m.ir", text(""))
	if err != nil {
		t.Fatal(err)
	}
	attrs := m.Main.Body.Nodes[0].Attrs
	if len(attrs) != n || !slices.IsSortedFunc(attrs, func(a, b ir.Attr) int { return strings.Compare(a.Name, b.Name) }) {
		t.Fatalf("%d attributes, want %d, sorted", len(attrs), n)
	}
	for i := range n {
		if v := attrs[i].Value.(int64); attrs[i].Name != fmt.Sprintf("a%d", v) {
			t.Fatalf("attribute %q is %d", attrs[i].Name, v)
		}
	}
	for _, i := range []int{0, order[0], order[n-1], n - 1} {
		_, err := ir.Parse("m.ir", text(fmt.Sprintf("a%d = 0", i)))
		if want := fmt.Sprintf("attribute %q is set twice", fmt.Sprintf("a%d", i)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestParseScopes: an algorithm reads the values of the main function and adds its own, which neither the main function,
// nor another algorithm, nor an initialization sees.
func TestParseScopes(t *testing.T) {
	const head = "module \"m\"\nfunc @main(%x) -> (%x) {\n  const %c: int8[] = 1\n}\n"
	for _, tt := range []struct{ text, want string }{
		{"training { algorithm func @a(%p) -> (%x, %c, %p) {} update %c = %p }", ""},
		{"training { const %k: int8[] = 1 update %c = %k }", ""},
		{"training { algorithm func @a(%p) -> (%p) {} } training { algorithm func @a(%p) -> (%p) {} }", ""},
		{"training { algorithm func @a(%p) -> () {} } training { update %c = %p }", `%p is not defined`},
		{"training { const %k: int8[] = 1 } training { update %c = %k }", `%k is not defined`},
		{"training { algorithm func @a(%x) -> () {} }", `%x is defined twice`},
		{"training { const %c: int8[] = 1 }", `%c is defined twice`},
		{"training { init func @b() -> (%x) {} }", `%x is not defined`},
		{"training { init func @b(%x) -> (%x) {} init %c = %x }", ""},
		{"training { init func @b(%z) -> (%z) {} update %c = %z }", `%z is not defined`},
		{"training { algorithm func @a() -> (%q) {} }", `%q is not defined`},
	} {
		m, err := ir.Parse("m.ir", head+tt.text)
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)):
			t.Errorf("%s:\n got %v\nwant %s", tt.text, err, tt.want)
		case err == nil:
			if err := ir.Verify(m); err != nil {
				t.Errorf("%s: %v", tt.text, err)
			}
			again(t, ir.Print(m))
		}
	}
}
