package forward

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// parsed returns what a line says, in words that show types.
func parsed(c *Case) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %d:", c.Name(), c.Opset())
	for _, x := range c.In {
		fmt.Fprintf(&b, " %s", value(x))
	}
	for _, a := range c.Attrs {
		if x, ok := a.Value.(*tensor.Tensor); ok {
			fmt.Fprintf(&b, " %s=%s", a.Name, value(x))
		} else {
			fmt.Fprintf(&b, " %s=%T %v", a.Name, a.Value, a.Value)
		}
	}
	for name, set := range map[string]bool{"exact": c.Exact, "shape": c.Shape, "constants": c.Constant, "static": c.Static} {
		if set {
			fmt.Fprintf(&b, " %s", name)
		}
	}
	if c.As != Weighted {
		fmt.Fprintf(&b, " %s", c.As)
	}
	if c.Tol > 0 {
		fmt.Fprintf(&b, " ~%g", c.Tol)
	}
	b.WriteString(" ->")
	for _, x := range c.Out {
		fmt.Fprintf(&b, " %s", value(x))
	}
	if c.Refused != "" {
		fmt.Fprintf(&b, " ! %s", c.Refused)
	}
	return b.String()
}

func value(x tensor.Value) string {
	switch x := x.(type) {
	case nil:
		return "_"
	case *tensor.Tensor:
		return fmt.Sprintf("%s%v%v", x.DType, x.Shape, x.Data)
	case *tensor.Sequence:
		var items []string
		for _, x := range x.Items {
			items = append(items, value(x))
		}
		return fmt.Sprintf("seq:%s(%s)", x.Elem, strings.Join(items, " "))
	case *tensor.Optional:
		return fmt.Sprintf("optional(%s)", value(x.Value))
	case *tensor.Map:
		return fmt.Sprintf("map(%s %s)", value(x.Keys), value(x.Values))
	}
	return fmt.Sprintf("%T", x)
}

// TestParse reads a line of each form that [Case] and the parser's comment describe.
func TestParse(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"Gather@11(float32[2,3]=1,2,3,4,5,6, int64[1]=-1) axis=1 -> float32[2,1]=3,6", "Gather at 11: float32[2 3][1 2 3 4 5 6] int64[1][-1] axis=int64 1 -> float32[2 1][3 6]"},
		{"com.microsoft:Gelu(float32[]=0) -> float32[]=0", "com.microsoft:Gelu at 1: float32[][0] -> float32[][0]"},
		{"Clip@13(float32[4]=1,2, _, float32[]=3) -> float32[4]=1,2", "Clip at 13: float32[4][1 2 2 2] _ float32[][3] -> float32[4][1 2 2 2]"},
		{"Relu@14(float32[0]) exact -> float32[0]", "Relu at 14: float32[0][] exact -> float32[0][]"},
		{"Exp@13(float32[1]=1) ~0.001 -> float32[1]=2.718", "Exp at 13: float32[1][1] ~0.001 -> float32[1][2.718]"},
		{"A@1(bool[2]=1,0) shape -> string[2]=\"a, b\",\"c)\"", "A at 1: bool[2][true false] shape -> string[2][a, b c)]"},
		{"A@1(uint8[2]=0xff,1, int8[1]=-1) static -> complex64[1]=1+2i", "A at 1: uint8[2][255 1] int8[1][-1] static -> complex64[1][(1+2i)]"},
		{"A@1(float16[1]=0x3c00) constants -> float16[1]=1", "A at 1: float16[1][15360] constants -> float16[1][15360]"},
		{"A@1() f=0.5 i=[1,2] fs=[0.5,1.5] s=\"x y\" ss=[\"a\",\"b\"] t=int64[1]=7 -> _", "A at 1: f=float64 0.5 fs=[]float64 [0.5 1.5] i=[]int64 [1 2] s=string x y ss=[]string [a b] t=int64[1][7] -> _"},
		{"A@1(seq:float32(float32[1]=1, float32[2]=2,3)) -> seq:int64()", "A at 1: seq:float32(float32[1][1] float32[2][2 3]) -> seq:int64()"},
		{"A@1(optional(int64[]=1), optional()) -> map(string[1]=\"k\", int64[1]=1)", "A at 1: optional(int64[][1]) optional(_) -> map(string[1][k] int64[1][1])"},
		{"A@1(float32[1]=1) axis=9 -> ! axis is 9, want -1 to 0", "A at 1: float32[1][1] axis=int64 9 -> float32[][0] ! axis is 9, want -1 to 0"},
		{"A@1(float32[1]=1) fed -> !", "A at 1: float32[1][1] fed -> float32[][0]"},
		{"TopK@11(float32[1]=1, int64[1]=2) symbolic outputs -> !", "TopK at 11: float32[1][1] int64[1][2] symbolic -> float32[][0] float32[][0]"},
	} {
		got, err := Parse(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if text := parsed(got); text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.line, text, c.want)
		}
	}
}

// TestParseErrors: a mistake in a line of the table is reported, as a case that is read wrongly would test something
// else.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"nothing", `"nothing" is no case`},
		{"A(float32[1]=1 float32[1]=1) -> _", `" float32[1]=1) -> _": want a comma and a space`},
		{"A(float33[1]=1) -> _", `"float33" is no element type`},
		{"A(float32[2]) -> _", "float32[2] has no elements"},
		{"A(float32[2]=) -> _", `element 0 is missing before ") -> _"`},
		{"A(float32[2]=1,) -> _", `element 1 is missing before ") -> _"`},
		{"A(float32[1]=x) -> _", `element 0: strconv.ParseFloat: parsing "x": invalid syntax`},
		{"A(uint8[1]=256) -> _", `element 0: strconv.ParseUint: parsing "256": value out of range`},
		{"A(int8[1]=0x1ff) -> _", `element 0: strconv.ParseUint: parsing "1ff": value out of range`},
		{"A(?) -> _", `"?) -> _": want a value`},
		{"A(seq:float99()) -> _", `") -> _": a sequence of an unknown type`},
		{"A(map(int64[1]=1)) -> _", "a map has keys and values"},
		{"A(float32[1]=1) fast -> _", `"fast" is no word of a case`},
		{"A(float32[1]=1) outputs -> !", "there is no operator A"},
		{"A(float32[1]=1) ~x -> _", `strconv.ParseFloat: parsing "x": invalid syntax`},
		{"A(float32[1]=1) axis=one -> _", `axis: strconv.ParseFloat: parsing "one": invalid syntax`},
		{"A(float32[1]=1) axis=[1 2] -> _", `axis: " 2] -> _": want a comma`},
		{"A(float32[1]=1) word=\"x -> _", "word: invalid syntax"},
		{"A(float32[1]=1) -> float32[1]=1) more", `" more)" follows the case`},
	} {
		if _, err := Parse(c.line); err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.line, err, c.want)
		}
	}
}

// TestRead: errors name the file and the line; comments and empty lines are no cases.
func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "testdata", "forward")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "a.txt")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Dir(filepath.Dir(dir))
	write("# a comment\n\nRelu(float32[1]=-1) -> float32[1]=0\n")
	cases, err := Family(root)
	if err != nil || len(cases) != 1 || cases[0].Place != filepath.ToSlash(name)+":3" {
		t.Errorf("got %v, %v, want one case of line 3", cases, err)
	}
	write("# a comment\nRelu\n")
	if _, err := Family(root); err == nil || err.Error() != name+":2: \"Relu\" is no case" {
		t.Error(err)
	}
	if _, err := Family(dir); err == nil {
		t.Error("a folder without a table has no error: a family would be tested by nothing")
	}
}

// TestModule: the four forms of a case differ in which operands are constants, and in the sizes of the others.
func TestModule(t *testing.T) {
	c, err := Parse("Concat(float32[2,3]=1, _, float32[4,3]=1, int64[2]=1) axis=0 -> float32[6,3]=1, _, float32[]=0")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		form Form
		text string
	}{
		{Fed, "c0_in0 float32[2,3], c0_in2 float32[4,3], c0_in3 int64[2]; 3 values"},
		{Weighted, "c0_in0 float32[2,3]; 1 values"},
		{Folded, "; 0 values"},
		{Symbolic, "c0_in0 float32[d2,d3], c0_in2 float32[d4,d3]; 2 values"},
	} {
		m, in := Module(want.form, c)
		var params []string
		for _, v := range m.Main.Body.Params {
			params = append(params, v.Name+" "+v.Type.String())
		}
		if got := fmt.Sprintf("%s; %d values", strings.Join(params, ", "), len(in)); got != want.text {
			t.Errorf("%s: got %s, want %s", want.form, got, want.text)
		}
		n := m.Main.Body.Nodes[0]
		if len(n.In) != 4 || n.In[1] != nil || len(n.Out) != 3 || n.Out[1] != nil || len(m.Main.Body.Results) != 2 || len(Wanted(c)) != 2 {
			t.Errorf("%s: omitted operands have not stayed omitted: %s", want.form, ir.Print(m))
		}
	}
}

// TestTypes: a sequence's items have the type that all of them have, so that a model that is typed by its case takes
// each of its values.
func TestTypes(t *testing.T) {
	for _, c := range []struct{ value, fed, symbolic string }{
		{"seq:float32()", "seq(float32[?])", "seq(float32[?])"},
		{"seq:float32(float32[2,3]=1, float32[4,3]=1)", "seq(float32[s0,3])", "seq(float32[s0,d3])"},
		{"seq:float32(float32[2,3]=1, float32[4]=1)", "seq(float32[?])", "seq(float32[?])"},
		{"optional()", "optional(float32[?])", "optional(float32[?])"},
		{"optional(int64[2]=1)", "optional(int64[2])", "optional(int64[d2])"},
		{"map(string[1]=\"k\", float32[1]=1)", "map(string,float32[])", "map(string,float32[])"},
	} {
		x, err := (&parser{rest: c.value}).value()
		if err != nil {
			t.Fatal(err)
		}
		if fed, symbolic := typeOf(x, Fed).String(), typeOf(x, Symbolic).String(); fed != c.fed || symbolic != c.symbolic {
			t.Errorf("%s: got %s and %s, want %s and %s", c.value, fed, symbolic, c.fed, c.symbolic)
		}
	}
}

// TestBatches: cases are in one program if they have one form and one version, and no program is larger than allowed.
func TestBatches(t *testing.T) {
	var cases []*Case
	for _, line := range []string{
		"A@1() -> _", "B@2() -> _", "C@1() -> _", "D@1() -> _", "E@1() constants -> _", "x.y:F@1() -> _", "G@1(float32[1]=1) static -> _",
	} {
		c, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	for form, want := range map[Form]string{
		Fed:      "[[A C] [B] [D G] [x.y:F]]",
		Folded:   "[[A C] [B] [D E] [x.y:F] [G]]",
		Symbolic: "[]",
	} {
		out := [][]string{}
		for _, batch := range Batches(form, cases, 2) {
			var names []string
			for _, c := range batch {
				names = append(names, c.Name())
			}
			out = append(out, names)
		}
		if got := fmt.Sprint(out); got != want {
			t.Errorf("%s: got %s, want %s", form, got, want)
		}
	}
	if err := fmt.Errorf(`node "c1_out0" (Relu)`); !Names(err, 1) || Names(err, 10) || Names(err, 0) {
		t.Error("an error is not about the case that it names")
	}
}

// TestCompare: outputs are as near as the case and the element type say. A comparison that is too kind would hide a
// wrong operator.
func TestCompare(t *testing.T) {
	for _, c := range []struct{ words, got, want, err string }{
		{"", "float32[1]=1.000001", "float32[1]=1", ""},
		{"", "float32[1]=1.001", "float32[1]=1", "element"},
		{"~0.01", "float32[1]=1.001", "float32[1]=1", ""},
		{"", "float64[1]=1.000001", "float64[1]=1", "element"},
		{"", "float16[1]=1.001", "float16[1]=1", ""},
		{"", "bfloat16[1]=1.01", "bfloat16[1]=1", ""},
		{"", "float8e4m3fn[1]=0x39", "float8e4m3fn[1]=0x38", ""},
		{"exact", "float32[2]=0,1", "float32[2]=-0,1", "element 0 is 0, want -0"},
		{"exact", "float32[1]=NaN", "float32[1]=NaN", ""},
		{"exact", "float32[1]=1.000001", "float32[1]=1", "element 0 is 1.00000095"},
		{"shape", "float32[1]=5", "float32[1]=1", ""},
		{"shape", "float32[2]=5", "float32[1]=1", "want float32[1]"},
		{"", "int64[1]=2", "int64[1]=1", "got [2], want [1]"},
		{"", "int32[1]=1", "int64[1]=1", "want int64[1]"},
		{"", "optional(int64[1]=1)", "int64[1]=1", ""},
		{"", "seq:int64()", "int64[1]=1", "got *tensor.Sequence, want a tensor"},
		{"", "seq:int64(int64[1]=1)", "seq:int64(int64[1]=1)", ""},
		{"", "seq:int64(int64[1]=2)", "seq:int64(int64[1]=1)", "item 0: got [2], want [1]"},
		{"", "seq:int64()", "seq:int64(int64[1]=1)", "want a sequence of 1 of int64"},
		{"", "seq:int32()", "seq:int64()", "want a sequence of 0 of int64"},
		{"", "map(int64[1]=1, float32[1]=1)", "map(int64[1]=1, float32[1]=1)", ""},
		{"", "map(int64[1]=1, float32[1]=2)", "map(int64[1]=1, float32[1]=1)", "element"},
	} {
		words := strings.TrimSpace("A() " + c.words)
		x, err := Parse(fmt.Sprintf("%s -> %s, %s", words, c.got, c.want))
		if err != nil {
			t.Fatal(err)
		}
		err = x.Compare(x.Out[0], x.Out[1])
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %s for %s: %v, want %q", c.words, c.got, c.want, err, c.err)
		}
	}
}
