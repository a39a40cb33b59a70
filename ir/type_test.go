package ir_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestTypes prints types and reads them again.
func TestTypes(t *testing.T) {
	n := ir.Sym("n")
	for want, typ := range map[string]ir.Type{
		"float32[2,n]":              ir.TensorOf(tensor.Float32, ir.C(2), n),
		"string[]":                  ir.TensorOf(tensor.String),
		"seq(int64[n])":             ir.SequenceOf(ir.TensorOf(tensor.Int64, n)),
		"optional(float32[])":       ir.OptionalOf(ir.TensorOf(tensor.Float32)),
		"map(string,float32[])":     ir.MapOf(tensor.String, ir.TensorOf(tensor.Float32)),
		"seq(map(int64,float32[]))": ir.SequenceOf(ir.MapOf(tensor.Int64, ir.TensorOf(tensor.Float32))),
		"float32[max(n,2)]":         ir.TensorOf(tensor.Float32, n.Max(ir.C(2))),
	} {
		if got := typ.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		back, err := ir.ParseType(want)
		if err != nil || !back.Equal(typ) {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
	if any := ir.AnyRankOf(tensor.Float32); !any.Known() || any.Equal(ir.TensorOf(tensor.Float32)) {
		t.Errorf("%v is not known, or a scalar", any)
	}
	list, err := ir.ParseTypes("float32[2], int64[n]")
	if err != nil || len(list) != 2 || list[1].String() != "int64[n]" {
		t.Errorf("got %v, %v, want two types", list, err)
	}
	for text, want := range map[string]string{
		"float32[2], int64[n]": "is 2 types, want one",
		"float33[2]":           "float33",
		"float32[2":            "want",
		"map(float,float32[])": "the type of a map's keys",
	} {
		if _, err := ir.ParseType(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// TestLongDims reports sizes that only a graph made on purpose has.
func TestLongDims(t *testing.T) {
	d := ir.Sym("n")
	if d.TooLong() {
		t.Errorf("%s is too long", d)
	}
	for i := range 13 { // each step doubles the length
		d = d.Max(ir.Sym(string(rune('a' + i))).Mul(d).Add(d))
	}
	if !d.TooLong() {
		t.Error("a size of more than 4096 symbols is not too long")
	}
}

// TestPrintNode prints parts of a graph as they stand in the whole.
func TestPrintNode(t *testing.T) {
	m, err := ir.Parse("a.ir", branch)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.Main.Body.Nodes {
		for line := range strings.Lines(ir.PrintNode(n)) {
			if !strings.Contains(branch, strings.TrimSpace(line)) {
				t.Errorf("%q is not in the text of the graph", line)
			}
		}
	}
	for want, v := range map[string]any{"3": int64(3), `"a"`: "a", "[1, 2]": []int64{1, 2}, "0.5": 0.5} {
		if got := ir.PrintAttr(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestReadElems makes the elements of a tensor symbols, which may be negative, unlike sizes of axes.
func TestReadElems(t *testing.T) {
	m := &ir.Module{Main: &ir.Func{Body: &ir.Region{}}}
	v := &ir.Value{Name: "shape", Type: ir.TensorOf(tensor.Int64, ir.C(2))}
	m.ReadElems(v, 2)
	if len(v.Elems) != 2 || v.ElemSyms[0] == v.ElemSyms[1] {
		t.Fatalf("elements are %v, %v", v.Elems, v.ElemSyms)
	}
	if !m.FromData(v.Elems[1].Add(ir.Sym("n"))) || m.FromData(ir.Sym("n")) {
		t.Error("the elements of a tensor are taken for sizes of axes, or the reverse")
	}
}
