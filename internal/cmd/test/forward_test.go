package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// batch is the number of cases of the table in one program.
const batch = 60

// A batchJob is a program of cases of the table.
type batchJob struct {
	job
	form  forward.Form
	cases []*forward.Case
}

// TestForward runs the table of forward cases through generated code, at every
// level of the processor, with one thread and with four.
func TestForward(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program; the evaluator runs the same cases beside each family")
	}
	dir := t.TempDir()
	batches := writeBatches(t, dir)
	var jobs []*job
	for _, b := range batches {
		jobs = append(jobs, &b.job)
	}
	programs := number(jobs)
	compile(programs, nil)
	for _, b := range batches {
		if err := programs[b.program].err; err != nil {
			t.Errorf("%v: %v", b.form, b.told(err))
		}
	}
	bin := filepath.Join(dir, "harness", "harness.bin")
	if err := build(filepath.Dir(bin), bin, programs, nil); err != nil {
		t.Fatal(err)
	}
	for _, level := range cpu.Levels() {
		for _, threads := range []string{"1", "4"} {
			t.Run(fmt.Sprintf("%v/%s", level, threads), func(t *testing.T) {
				t.Setenv("BBGEN_CPU", level.String())
				t.Setenv("GOMAXPROCS", threads)
				runBatches(t, bin, programs, batches)
			})
		}
	}
}

// writeBatches writes the table as models with their inputs.
func writeBatches(t *testing.T, dir string) []*batchJob {
	t.Helper()
	cases, err := forward.Table("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var out []*batchJob
	for _, f := range []forward.Form{forward.Fed, forward.Weighted, forward.Symbolic} {
		for _, group := range forward.Batches(f, wanted(f, cases), batch) {
			b := &batchJob{form: f, cases: group}
			b.name = fmt.Sprint(len(out))
			if err := b.write(filepath.Join(dir, b.name)); err != nil {
				t.Fatalf("%s to %s: %v", group[0].Place, group[len(group)-1].Place, err)
			}
			out = append(out, b)
		}
	}
	return out
}

// wanted returns the cases that run in a form: each with its operands as inputs if possible, and those that
// are not about types also with sizes that are known only at run time.
func wanted(f forward.Form, cases []*forward.Case) []*forward.Case {
	var out []*forward.Case
	for _, c := range cases {
		aboutTypes := strings.Contains(c.Place, "/types.txt") || strings.Contains(c.Place, "/casts.txt")
		if f == forward.Fed || f == forward.Weighted && c.Constant || f == forward.Symbolic && !aboutTypes {
			out = append(out, c)
		}
	}
	return out
}

// write writes the model and its inputs below a folder.
func (b *batchJob) write(dir string) error {
	m, in := forward.Module(b.form, b.cases...)
	model, err := onnx.Encode(m)
	if err != nil {
		return err
	}
	b.model, b.in, b.out = filepath.Join(dir, "model.onnx"), filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{b.in, b.out} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return err
		}
	}
	for i, x := range in {
		if err := os.WriteFile(filepath.Join(b.in, fmt.Sprintf("input_%d.pb", i)), encode(x), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(b.model, model, 0o666)
}

// encode returns the protobuf message of a value.
func encode(x tensor.Value) []byte {
	switch x := x.(type) {
	case *tensor.Sequence:
		return tensorio.AppendSequence(nil, "", x)
	case *tensor.Optional:
		return tensorio.AppendOptional(nil, "", x)
	case *tensor.Map:
		return tensorio.AppendMap(nil, "", x)
	}
	return tensorio.AppendTensor(nil, "", x.(*tensor.Tensor))
}

// runBatches runs the programs and compares their outputs.
func runBatches(t *testing.T, bin string, programs []*program, batches []*batchJob) {
	var jobs []*job
	for _, b := range batches {
		b.err = programs[b.program].err
		if err := b.clear(); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, &b.job)
	}
	if err := runAll(bin, jobs, nil); err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		switch {
		case programs[b.program].err != nil: // reported already
		case b.err != nil:
			t.Errorf("%v: %v", b.form, b.told(b.err))
		default:
			b.compare(t, programs[b.program].outputs)
		}
	}
}

// compare compares the outputs of a program with those that its cases want.
func (b *batchJob) compare(t *testing.T, types []ir.Type) {
	k := 0
	for _, c := range b.cases {
		for _, want := range forward.Wanted(c) {
			got, err := readValue(filepath.Join(b.out, fmt.Sprintf("output_%d.pb", k)), types[k])
			if err == nil {
				err = c.Compare(got, want)
			}
			if err != nil {
				t.Errorf("%s: %v: %v\n%.200s", c.Place, b.form, err, c.Text)
			}
			k++
		}
	}
}

// told returns an error of a program together with the case in its text, if there is one.
func (b *batchJob) told(err error) error {
	for i := len(b.cases) - 1; i >= 0; i-- {
		if c := b.cases[i]; forward.Names(err, i) {
			return fmt.Errorf("%s: %w\n%.200s", c.Place, err, c.Text)
		}
	}
	return fmt.Errorf("%s to %s: %w", b.cases[0].Place, b.cases[len(b.cases)-1].Place, err)
}
