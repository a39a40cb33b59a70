package generated

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/generated_test/anyrank"
	"github.com/bbgen/bbgen/generated_test/branch"
	"github.com/bbgen/bbgen/generated_test/chain"
	"github.com/bbgen/bbgen/generated_test/convnet"
	"github.com/bbgen/bbgen/generated_test/fails"
	"github.com/bbgen/bbgen/generated_test/loop"
	"github.com/bbgen/bbgen/generated_test/maps"
	"github.com/bbgen/bbgen/generated_test/mlp"
	"github.com/bbgen/bbgen/generated_test/nonzero"
	"github.com/bbgen/bbgen/generated_test/quantized"
	"github.com/bbgen/bbgen/generated_test/scan"
	"github.com/bbgen/bbgen/generated_test/sequence"
	"github.com/bbgen/bbgen/generated_test/strings"
	"github.com/bbgen/bbgen/generated_test/transformer"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// cases are the packages, each with inputs for which it must agree with the evaluation of its graph.
var cases = []struct {
	name    string
	program model.Program
	inputs  [][]tensor.Value
}{
	{"anyrank", anyrank.Program(), sets(
		values(tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3), tensor.Of([]bool{true})),
		values(tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3), tensor.Of([]bool{false})))},
	{"branch", branch.Program(), sets(
		values(floats(1, 2, 3), tensor.Of([]float32{100})),
		values(floats(2, 2, 3), tensor.Of([]float32{-100})))},
	{"chain", chain.Program(), sets(
		values(floats(15, 3, 16, 64), floats(16, 3, 16, 1)),
		values(floats(17, 40, 16, 64), floats(18, 40, 16, 1)),
		values(floats(19, 0, 16, 64), floats(20, 0, 16, 1)))},
	{"convnet", convnet.Program(), sets(values(floats(3, 2, 1, 8, 8)), values(floats(4, 1, 1, 8, 8)))},
	{"fails", fails.Program(), sets(values(failsX(4), tensor.Of(failsDivisors(4), 4, 16, 64), tensor.Of([]int64{0, 63}, 2)))},
	{"loop", loop.Program(), sets(
		values(tensor.Of([]int64{4}), floats(5, 2)),
		values(tensor.Of([]int64{0}), floats(6, 2)),
		values(tensor.Of([]int64{100}), tensor.Of([]float32{1, 2}, 2)))},
	{"maps", maps.Program(), sets(
		values(tensor.MapOf([]string{"age", "city=Bonn"}, []float32{3, 1})),
		values(tensor.MapOf([]string{"city=Rome", "city=Oslo"}, []float32{1, 2})),
		values(tensor.MapOf([]string{}, []float32{})))},
	{"mlp", mlp.Program(), sets(values(floats(7, 3, 4)), values(floats(8, 0, 4)), values(floats(9, 5, 4)), values(floats(10, 7, 4)))},
	{"nonzero", nonzero.Program(), sets(
		values(tensor.Of([]float32{0, 1, 0, 2, 2, 0, 0, 1}, 2, 4)),
		values(tensor.New(tensor.Float32, 3, 4)))},
	{"quantized", quantized.Program(), sets(values(floats(10, 2, 4)))},
	{"scan", scan.Program(), sets(values(floats(11, 4, 2)), values(floats(12, 1, 2)))},
	{"sequence", sequence.Program(), sets(values(floats(13, 3, 2), floats(14, 2)))},
	{"strings", strings.Program(), sets(values(tensor.Of([]string{"Hello", "World", "Zebra"}, 3)))},
	{"transformer", transformer.Program(), sets(
		values(tensor.Of([]int64{0, 1, 2, 3, 4, 5}, 2, 3)),
		values(tensor.Of([]int64{5, 4, 3, 2, 1}, 1, 5)))},
}

func sets(s ...[]tensor.Value) [][]tensor.Value { return s }
func values(v ...tensor.Value) []tensor.Value   { return v }

// floats returns a seeded tensor of values between -1 and 1.
func floats(seed uint64, shape ...int) *tensor.Tensor {
	rng := rand.New(rand.NewPCG(seed, 0))
	t := tensor.New(tensor.Float32, shape...)
	for i := range tensor.Data[float32](t) {
		tensor.Data[float32](t)[i] = rng.Float32()*2 - 1
	}
	return t
}

// graph reads the graph of a case.
func graph(t *testing.T, name string) *ir.Module {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(name, "model.ir"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.Parse("model.ir", string(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCurrent generates each package again, twice, and compares it byte for byte with the committed one;
// BBGEN_UPDATE=1 rewrites that.
func TestCurrent(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := bbgen.Config{Package: c.name, Source: "model.ir"}
			r, err := bbgen.Compile(graph(t, c.name), config)
			if err != nil {
				t.Fatal(err)
			}
			again, err := bbgen.Compile(graph(t, c.name), config)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range r.Files {
				if !bytes.Equal(f.Bytes(), again.Files[i].Bytes()) {
					t.Errorf("%s is not the same when generated twice", f.Path)
				}
				checkFile(t, filepath.Join(c.name, f.Path), f.Bytes())
			}
		})
	}
}

func checkFile(t *testing.T, name string, want []byte) {
	t.Helper()
	if os.Getenv("BBGEN_UPDATE") == "1" {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what bbgen writes; BBGEN_UPDATE=1 go test ./generated_test rewrites it", name)
	}
}

// TestRun runs each package and compares it with the evaluation of its graph.
func TestRun(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.program.New()
			if err != nil {
				t.Fatal(err)
			}
			for i, in := range c.inputs {
				if err := runOne(graph(t, c.name), c.program, s, s.Run, in); err != nil {
					t.Errorf("inputs %d: %v", i, err)
				}
			}
		})
	}
}

func runOne(m *ir.Module, p model.Program, s model.Session, run func() error, in []tensor.Value) error {
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return err
	}
	want, err := eval.Run(m.Main, in)
	if err != nil {
		return err
	}
	for i, v := range in {
		if err := s.SetInput(i, v); err != nil {
			return err
		}
	}
	if err := run(); err != nil {
		return err
	}
	for i, w := range want {
		if err := compare.Values(s.Output(i), w, compare.Tolerance{Rel: 1e-5, Abs: 1e-6}); err != nil {
			return fmt.Errorf("output %s: %w", p.Outputs[i].Name, err)
		}
	}
	return nil
}
