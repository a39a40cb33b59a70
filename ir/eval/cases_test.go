package eval_test

import (
	"flag"
	"path"
	"regexp"
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

var (
	casesFlag   = flag.String("cases", "", "run the ONNX cases whose name matches this regular expression")
	archiveFlag = flag.String("archive", "onnx-cases-dev.zip", "the archive of cases")
)

// TestCases runs ONNX's own cases through lowered calls. Without -cases it runs only a few, as tests of the
// generated code run all (see cmd/bbgen).
func TestCases(t *testing.T) {
	pattern := *casesFlag
	if pattern == "" {
		pattern = `^test_(add|relu|reshape|nonzero|concat|gather|softmax|if|loop11)`
	}
	re := regexp.MustCompile(pattern)
	for _, c := range conformance.List(t, conformance.Open(t, *archiveFlag)) {
		if !re.MatchString(path.Base(c.Name)) {
			continue
		}
		t.Run(path.Base(c.Name), func(t *testing.T) {
			for i, s := range c.Sets(t) {
				runSet(t, c, i, s)
			}
		})
	}
}

func runSet(t *testing.T, c *conformance.Case, i int, s conformance.Set) {
	m, err := onnx.Decode(c.Name, c.Model(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	var in []tensor.Value
	for k, p := range m.Main.Body.Params {
		in = append(in, decode(t, p.Type, s.Inputs[k]))
	}
	got, err := eval.Run(m.Main, in)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range m.Main.Body.Results {
		want := decode(t, v.Type, s.Outputs[k])
		err := compare.Shape(got[k], want)
		if c.Compare == "values" {
			err = compare.Values(got[k], want, compare.Tolerance{Rel: c.RTol, Abs: c.ATol})
		}
		if err != nil {
			t.Errorf("set %d: output %q: %v", i, v.Name, err)
		}
	}
}

func decode(t *testing.T, typ ir.Type, b []byte) tensor.Value {
	t.Helper()
	var v tensor.Value
	var err error
	switch typ.Kind {
	case ir.Sequence:
		v, _, err = tensorio.DecodeSequence(b)
	case ir.Optional:
		v, _, err = tensorio.DecodeOptional(b)
	default:
		v, _, err = tensorio.DecodeTensor(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
