package forward_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// body is a module that no line can hold, with lines of its inputs and outputs.
type body struct {
	name   string
	module *ir.Module
	cases  []*forward.Case
}

// bodies are the modules of testdata/bodies.txtar.
func bodies(t *testing.T) []*body {
	t.Helper()
	text, err := os.ReadFile("testdata/bodies.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []*body
	for _, f := range txtar.Parse(text).Files {
		if name, ok := strings.CutSuffix(f.Name, ".ir"); ok {
			m, err := ir.Parse(f.Name, string(f.Data))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, &body{name: name, module: m})
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			c, err := forward.Parse(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			b := out[len(out)-1]
			b.cases = append(b.cases, c)
		}
	}
	return out
}

// TestBodies runs the modules, at every level of the processor.
func TestBodies(t *testing.T) {
	atEnd(t)
	for _, b := range bodies(t) {
		m := b.module.Clone()
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Errorf("%s: %v", b.name, err)
			continue
		}
		for _, c := range b.cases {
			for _, level := range cpu.Levels() {
				cpu.SetLevel(level)
				out, err := eval.Run(m.Main, c.In)
				if err == nil {
					err = agree(out, c)
				}
				if err != nil {
					t.Errorf("%v: %v\n%s", level, err, c.Text)
				}
			}
		}
	}
}
