package differ

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// huge are graphs that allocate more elements than any machine has room for, depending on a few bytes of
// input, and the operator that allocates them.
var huge = []struct{ op, graph string }{
	{"Expand", `(%s: int64[2]) -> (%y) {
  %y = ConstantOfShape(%s)`},
	{"Expand", `(%s: int64[2], %x: float32[1,1]) -> (%y) {
  %y = Expand(%x, %s)`},
	{"Tile", `(%s: int64[2], %x: float32[2,3]) -> (%y) {
  %y = Tile(%x, %s)`},
	{"Pad", `(%s: int64[4], %x: float32[2,3]) -> (%y) {
  %y = Pad(%x, %s)`},
	{"Add", `(%s: int64[]) -> (%y) {
  const %zero: int64[] = 0
  const %one: int64[] = 1
  const %column: int64[2] = [-1, 1]
  %r = Range(%zero, %s, %one)
  %t = Reshape(%r, %column)
  %y = Add(%r, %t)`},
	{"Resize", `(%s: int64[2], %x: float32[2,3]) -> (%y) {
  %y = Resize(%x, _, _, %s) {mode = "nearest"}`},
	{"OneHot", `(%s: int64[], %x: float32[2]) -> (%y) {
  const %at: int64[2,1000] = _
  %y = OneHot(%at, %s, %x)`},
	{"Expand", `(%s: int64[2], %x: float32[1,1]) -> (%y) {
  const %far: int64[2] = [4611686018427387904, 4611686018427387904]
  %more = Max(%s, %far)
  %y = Expand(%x, %more)`},
	{"MatMul", `(%s: int64[1], %x: float32[1]) -> (%y) {
  const %column: int64[2] = [-1, 1]
  %e = Expand(%x, %s)
  %c = Reshape(%e, %column)
  %r = Transpose(%c)
  %y = MatMul(%c, %r)`},
}

// TestHuge runs graphs with sizes that the data make huge, evaluated and compiled. The run must return an
// error that names the node, the requested size and the limit, and must not crash.
func TestHuge(t *testing.T) {
	tensor.SetLimit(64 << 20)
	defer tensor.SetLimit(0)
	tools, err := NewToolchain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{Toolchain: tools, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(b.dir, "importcfg"), tools.imports, 0o666); err != nil {
		t.Fatal(err)
	}
	for i, h := range huge {
		m, err := ir.Parse(h.op, fmt.Sprintf("module %q\nopset 25\nfunc @main%s\n}\n", "huge", strings.Replace(h.graph, "= _", zeros(2, 1000), 1)))
		if err != nil {
			t.Fatal(err)
		}
		c := &checked{model: &randomgraph.Model{Module: m}}
		if err := c.optimize(); err != nil {
			t.Fatal(err)
		}
		in := hugeInputs(m)
		plain, err := plain(m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = evaluate(plain, in)
		refused(t, fmt.Sprint(i, ": evaluated"), h.op, err)
		c.sets = []set{{in: in}}
		if f := b.add(c); f != nil {
			t.Fatal(f)
		}
	}
	if err := b.build(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMEMLIMIT", "64MiB") // the same limit for the process
	p, err := b.start(Portable)
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	for i, c := range b.programs {
		_, f := p.check(i, c, Portable)
		if f == nil || p.died {
			t.Fatalf("%d: %s: got %v, want an error of the run", i, huge[i].op, f)
		}
		refused(t, fmt.Sprint(i, ": compiled"), huge[i].op, f.Err)
	}
}

// refused checks for the error of a size that exceeds the limit.
func refused(t *testing.T, how, op string, err error) {
	t.Helper()
	if err == nil || isPanic(err) || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), "limit") && !strings.Contains(err.Error(), "size") {
		t.Errorf("%s: got %v, want an error that names %s and the limit", how, err, op)
	}
}

// hugeInputs returns 2²⁰ for each integer, ones for floats.
func hugeInputs(m *ir.Module) (in []tensor.Value) {
	for _, v := range m.Main.Body.Params {
		shape, _ := ir.Static(v.Type.Shape)
		x := tensor.New(v.Type.Elem, shape...)
		for i := range x.Len() {
			x.SetItem(i, tensor.FromFloat(v.Type.Elem, map[bool]float64{true: 1, false: 1 << 20}[v.Type.Elem.IsFloat()]))
		}
		in = append(in, x)
	}
	return in
}

func zeros(rows, cols int) string {
	row := "[" + strings.TrimSuffix(strings.Repeat("0, ", cols), ", ") + "]"
	return "= [" + strings.TrimSuffix(strings.Repeat(row+", ", rows), ", ") + "]"
}
