package eval_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestFlow runs control flow with types that differ from the initial ones.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		name, text string
		in         []tensor.Value
		want       tensor.Value
		typ        string // of the result
	}{
		{"a carried value that grows", `
func @main(%n: int64[], %x: float32[1,D]) -> (%y) {
  %y = Loop(%n, _, %x)
    body(%i: int64[], %c: bool[], %v: float32[1,D]) -> (%c, %w) {
      %w = Concat(%v, %x) {axis = 0}
    }
}`, []tensor.Value{tensor.Of([]int64{2}), tensor.Of([]float32{1, 2}, 1, 2)}, tensor.Of([]float32{1, 2, 1, 2, 1, 2}, 3, 2), "float32[y_dim,D]"},
		{"no iteration", `
func @main(%n: int64[], %x: float32[1]) -> (%y) {
  %y = Loop(%n, _, %x)
    body(%i: int64[], %c: bool[], %v: float32[1]) -> (%c, %w) {
      %w = Concat(%v, %x) {axis = 0}
    }
}`, []tensor.Value{tensor.Of([]int64{0}), tensor.Of([]float32{7}, 1)}, tensor.Of([]float32{7}, 1), "float32[y_dim]"},
		{"values that change places", `
func @main(%n: int64[], %x: float32[2], %z: float32[1]) -> (%y) {
  %y, %r = Loop(%n, _, %x, %z)
    body(%i: int64[], %c: bool[], %u: float32[2], %v: float32[1]) -> (%c, %v, %u) {
    }
}`, []tensor.Value{tensor.Of([]int64{3}), tensor.Of([]float32{1, 2}, 2), tensor.Of([]float32{3}, 1)}, tensor.Of([]float32{3}, 1), "float32[y_dim]"},
		{"a condition that ends it", `
func @main(%n: int64[], %x: int64[]) -> (%s) {
  %s = Loop(%n, _)
    body(%i: int64[], %c: bool[]) -> (%more, %i) {
      %more = Less(%i, %x)
    }
}`, []tensor.Value{tensor.Of([]int64{9}), tensor.Of([]int64{2})}, tensor.Of([]int64{0, 1, 2}, 3), "int64[s_trips]"},
		{"rows between offsets", between, []tensor.Value{tensor.Of([]float32{1, 2, 3, 4}, 2, 2), tensor.Of([]int64{0, 1, 2}, 3), tensor.Of([]int64{1}, 1)}, tensor.Of([]float32{3, 4}, 1, 2), "float32[y_dim,2]"},
		{"rows between offsets that are not there", between, []tensor.Value{tensor.Of([]float32{1, 2, 3, 4}, 2, 2), tensor.Of([]int64{0, 1, 2}, 3), tensor.Of([]int64{7}, 1)}, tensor.Of([]float32{1, 2, 3, 4}, 2, 2), "float32[y_dim,2]"},
		{"an output of two ranks", twoRanks, []tensor.Value{tensor.Of([]float32{1, 2}, 2, 1), tensor.Of([]bool{true})}, tensor.Of([]float32{1, 2}, 2), "anyrank(float32[?])"},
		{"an output of two ranks, the other one", twoRanks, []tensor.Value{tensor.Of([]float32{1, 2}, 2, 1), tensor.Of([]bool{false})}, tensor.Of([]float32{1, 2}, 2, 1), "anyrank(float32[?])"},
		{"one element of two ranks", oneOfTwoRanks, []tensor.Value{tensor.Of([]float32{3}), tensor.Of([]bool{true})}, tensor.Of([]float32{3}, 1), "float32[1]"},
		{"one element of two ranks, the other one", oneOfTwoRanks, []tensor.Value{tensor.Of([]float32{3}), tensor.Of([]bool{false})}, tensor.Of([]float32{3}, 1), "float32[1]"},
		{"a map of strings as a row of numbers", `
func @main(%m: map(int64,string[])) -> (%y) {
  %y = ai.onnx.ml:CastMap(%m) {cast_to = "TO_FLOAT", map_form = "SPARSE", max_map = 4}
}`, []tensor.Value{tensor.MapOf([]int64{3, 1}, []string{"2.5", "-1"})}, tensor.Of([]float32{0, -1, 0, 2.5}, 1, 4), "float32[1,4]"},
		{"strings of all iterations", `
func @main(%n: int64[], %x: string[2]) -> (%s) {
  %s = Loop(%n, _)
    body(%i: int64[], %c: bool[]) -> (%c, %y) {
      %y = StringConcat(%x, %x)
    }
}`, []tensor.Value{tensor.Of([]int64{2}), tensor.Of([]string{"a", "b"}, 2)}, tensor.Of([]string{"aa", "bb", "aa", "bb"}, 2, 2), "string[s_trips,2]"},
		{"a scan of strings", `
func @main(%x: string[3,1]) -> (%s) {
  %s = Scan(%x) {num_scan_inputs = 1}
    body(%v: string[1]) -> (%y) {
      %y = StringConcat(%v, %v)
    }
}`, []tensor.Value{tensor.Of([]string{"a", "b", ""}, 3, 1)}, tensor.Of([]string{"aa", "bb", ""}, 3, 1), "string[3,1]"},
		{"a list", `
func @main(%n: int64[], %x: float32[1,2]) -> (%y) {
  %e = SequenceEmpty() {dtype = 1}
  %s = Loop(%n, _, %e)
    body(%i: int64[], %c: bool[], %v: seq(float32[?])) -> (%c, %w) {
      %w = SequenceInsert(%v, %x)
    }
  %y = ConcatFromSequence(%s) {axis = 0}
}`, []tensor.Value{tensor.Of([]int64{2}), tensor.Of([]float32{1, 2}, 1, 2)}, tensor.Of([]float32{1, 2, 1, 2}, 2, 2), "float32[y_dim,2]"},
		{"branches of two ranks, one of which cannot go on", squeezed, []tensor.Value{tensor.Of([]float32{1, 2}, 2, 1)}, tensor.Of([]float32{2, 4}, 2), "float32[2]"},
		{"branches of two ranks, both good", `
func @main(%x: float32[2,n]) -> (%y, %z) {
  const %one: int64[] = 1
  const %axis: int64[1] = [1]
  const %flat: int64[1] = [-1]
  %s = Shape(%x)
  %d = Gather(%s, %one)
  %c = Equal(%d, %one)
  %q = If(%c)
    then_branch() -> (%t) {
      %t = Squeeze(%x, %axis)
    }
    else_branch() -> (%x) {
    }
  %r = Add(%q, %q)
  %y = Reshape(%r, %flat)
  %z = Size(%y)
}`, []tensor.Value{tensor.Of([]float32{1, 2, 3, 4}, 2, 2)}, tensor.Of([]float32{2, 4, 6, 8}, 4), "float32[q_dim]"},
		{"a branch that is wrong for these types", `
func @main(%x: float32[2,1]) -> (%y) {
  %s = Shape(%x) {start = 1}
  %one = Size(%s)
  %c = Equal(%s, %one)
  %y = If(%c)
    then_branch() -> (%a) {
      %a = Squeeze(%x)
    }
    else_branch() -> (%b) {
      %b = Identity(%x)
    }
}`, []tensor.Value{tensor.Of([]float32{1, 2}, 2, 1)}, tensor.Of([]float32{1, 2}, 2), "float32[2]"},
		{"branches of different sizes", `
func @main(%c: bool[], %x: float32[N], %z: float32[M]) -> (%y) {
  %y = If(%c)
    then_branch() -> (%x) {
    }
    else_branch() -> (%z) {
    }
}`, []tensor.Value{tensor.Of([]bool{false}), tensor.Of([]float32{1, 2}, 2), tensor.Of([]float32{3}, 1)}, tensor.Of([]float32{3}, 1), "float32[y_dim]"},
		{"a scan along the last axis, backwards", `
func @main(%x: float32[2,3]) -> (%y) {
  %y = Scan(%x) {num_scan_inputs = 1, scan_input_axes = [-1], scan_input_directions = [1], scan_output_axes = [1]}
    body(%u: float32[2]) -> (%v) {
      %v = Identity(%u)
    }
}`, []tensor.Value{tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)}, tensor.Of([]float32{3, 2, 1, 6, 5, 4}, 2, 3), "float32[2,3]"},
		{"a scan whose rows have a size that the body knows", scanOfCounts, []tensor.Value{tensor.Of([]float32{0, 1, 2, 2, 0, 1}, 2, 3)}, tensor.Of([]int64{0, 1, 2, 2}, 2, 2), "int64[y_dim,2]"},
		{"a carried list that there may not be", maybeList, []tensor.Value{tensor.Of([]int64{2}), tensor.Of([]float32{1, 2}, 2)}, tensor.Of([]float32{1, 2, 1, 2, 1, 2}, 6), "float32[y_dim]"},
		{"a carried list that may be none and comes back as a list", strings.Replace(maybeList, "%w = Optional(%more)", "%w = Identity(%more)", 1), []tensor.Value{tensor.Of([]int64{2}), tensor.Of([]float32{1, 2}, 2)}, tensor.Of([]float32{1, 2, 1, 2, 1, 2}, 6), "float32[y_dim]"},
		{"a carried list that there is not", maybeList, []tensor.Value{tensor.Of([]int64{0}), tensor.Of([]float32{1, 2}, 2)}, tensor.Of([]float32{1, 2}, 2), "float32[y_dim]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ir.Parse("test.ir", "module \"test\"\nopset 25\n"+c.text)
			if err != nil {
				t.Fatal(err)
			}
			if err := pass.Run(m, pass.Pipeline, nil); err != nil {
				t.Fatal(err)
			}
			got, err := eval.Run(m.Main, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if err := compare.Values(got[0], c.want, compare.Tolerance{}); err != nil {
				t.Error(err)
			}
			if typ := m.Main.Body.Results[0].Type.String(); typ != c.typ {
				t.Errorf("result is %s, want %s", typ, c.typ)
			}
		})
	}
}

// TestFlowErrors are mistakes in files, with their errors.
func TestFlowErrors(t *testing.T) {
	for want, text := range map[string]string{
		"never ends": `
func @main(%x: float32[1]) -> (%y) {
  %y = Loop(_, _, %x)
    body(%i: int64[], %c: bool[], %v: float32[1]) -> (%c, %v) {
    }
}`,
		`carried value "v" has rank 1 and rank 2`: `
func @main(%n: int64[], %x: float32[1]) -> (%y) {
  %y = Loop(%n, _, %x)
    body(%i: int64[], %c: bool[], %v: float32[1]) -> (%c, %w) {
      %a = Shape(%v)
      %w = Unsqueeze(%v, %a)
    }
}`,
		"body has 2 inputs, want 3": `
func @main(%n: int64[], %x: float32[1]) -> (%y) {
  %y = Loop(%n, _, %x)
    body(%i: int64[], %c: bool[]) -> (%c, %x) {
    }
}`,
		"output 0 is float32[1] and bool[] in its branches": `
func @main(%c: bool[], %x: float32[1]) -> (%y) {
  %y = If(%c)
    then_branch() -> (%x) {
    }
    else_branch() -> (%c) {
    }
}`,
		"num_scan_inputs is 2, want 1 to 1": `
func @main(%x: float32[1]) -> (%y) {
  %y = Scan(%x) {num_scan_inputs = 2}
    body(%u: float32[]) -> (%u) {
    }
}`,
	} {
		m, err := ir.Parse("test.ir", "module \"test\"\nopset 25\n"+text)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// squeezed removes an axis if possible, and then requires that it is removed.
const squeezed = `
func @main(%x: float32[2,n]) -> (%y) {
  const %one: int64[] = 1
  const %axis: int64[1] = [1]
  const %b: float32[2] = [2, 2]
  %s = Shape(%x)
  %d = Gather(%s, %one)
  %c = Equal(%d, %one)
  %q = If(%c)
    then_branch() -> (%t) {
      %t = Squeeze(%x, %axis)
    }
    else_branch() -> (%x) {
    }
  %v = Transpose(%q) {perm = [0]}
  %y = Mul(%v, %b)
}`

// TestBranchThatCannotRun takes a branch that was removed because it cannot run.
func TestBranchThatCannotRun(t *testing.T) {
	m, err := ir.Parse("test.ir", "module \"test\"\nopset 25\n"+squeezed)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	_, err = eval.Run(m.Main, []tensor.Value{tensor.New(tensor.Float32, 2, 3)})
	if err == nil || !strings.Contains(err.Error(), "a branch is taken that cannot run") {
		t.Errorf("got %v", err)
	}
}

// between returns the rows from %at[%i] to %at[%i+1]. If %i is out of range, these are empty, and the Slice
// names no axis.
const between = `
func @main(%x: float32[2,2], %at: int64[3], %i: int64[1]) -> (%y) {
  const %one: int64[1] = [1]
  const %two: int64[1] = [2]
  %j = Add(%i, %one)
  %k = Add(%i, %two)
  %start = Slice(%at, %i, %j)
  %end = Slice(%at, %j, %k)
  %y = Slice(%x, %start, %end)
}`

// twoRanks returns the result of two nested Ifs for %x.
const twoRanks = `
func @main(%x: float32[2,1], %flag: bool[]) -> (%y) {
  %n = Not(%flag)
  %y = If(%flag)
    then_branch() -> (%a) {
      %a = If(%n)
        then_branch() -> (%x) {
        }
        else_branch() -> (%b) {
          %b = Squeeze(%x)
        }
    }
    else_branch() -> (%x) {
    }
}`

// scanOfCounts collects the places of the non-zero elements of each row of %x, last row first, and then the
// first row of these places.
const scanOfCounts = `
func @main(%x: float32[2,3]) -> (%y) {
  %y = Scan(%x) {num_scan_inputs = 1, scan_output_axes = [1], scan_output_directions = [1]}
    body(%u: float32[3]) -> (%w) {
      const %flat: int64[1] = [-1]
      %v = NonZero(%u)
      %w = Reshape(%v, %flat)
    }
}`

// maybeList is a list that the first iteration makes and later ones extend, or just %x.
const maybeList = `
func @main(%n: int64[], %x: float32[2]) -> (%y) {
  %none = Optional() {type = type seq(float32[?])}
  %s = Loop(%n, _, %none)
    body(%i: int64[], %c: bool[], %v: optional(seq(float32[?]))) -> (%c, %w) {
      %has = OptionalHasElement(%v)
      %list = If(%has)
        then_branch() -> (%old) {
          %old = OptionalGetElement(%v)
        }
        else_branch() -> (%new) {
          %new = SequenceConstruct(%x)
        }
      %more = SequenceInsert(%list, %x)
      %w = Optional(%more)
    }
  %is = OptionalHasElement(%s)
  %y = If(%is)
    then_branch() -> (%t) {
      %l = OptionalGetElement(%s)
      %t = ConcatFromSequence(%l) {axis = 0}
    }
    else_branch() -> (%x) {
    }
}`

// oneOfTwoRanks has branches whose outputs have one element, and a different number of axes: the type has the
// larger one.
const oneOfTwoRanks = `
func @main(%x: float32[], %c: bool[]) -> (%y) {
  %y = If(%c)
    then_branch() -> (%x) {
    }
    else_branch() -> (%v) {
      %axes = Constant() {value = int64[1] [0]}
      %v = Unsqueeze(%x, %axes)
    }
}`
