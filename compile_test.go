package bbgen_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
)

// compile compiles the text form of a graph like a file: as the bytes of a ModelProto.
func compile(text string) ([]codegen.File, error) {
	m, err := ir.Parse("in.ir", text)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(m); err != nil {
		return nil, err
	}
	b, err := onnx.Encode(m)
	if err != nil {
		return nil, err
	}
	if m, err = onnx.Decode("model.onnx", b, nil); err != nil {
		return nil, err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: "model.onnx"})
	if err != nil {
		return nil, err
	}
	return r.Files, nil
}

// TestErrors shows the errors of models that cannot be compiled: the model in *.ir has the error in out/*.
func TestErrors(t *testing.T) {
	golden.Run(t, "testdata/errors*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, name := range a.Sections() {
			base, ok := strings.CutSuffix(name, ".ir")
			if !ok {
				continue
			}
			_, err := compile(a.Get(name))
			if err == nil {
				err = errors.New("none")
			}
			a.Check("out/"+base, err.Error())
		}
	})
}

// TestFiles shows files of generated code, by their names in out/*.
func TestFiles(t *testing.T) {
	golden.Run(t, "testdata/files_*.txtar", func(t *testing.T, a *golden.Archive) {
		files, err := compile(a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if name := "out/" + f.Path; a.Has(name) {
				a.Check(name, string(f.Bytes()))
			}
		}
	})
}

// FuzzCompile looks for graphs that make the compiler panic.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"generated_test/*/model.ir", "ir/testdata/text_*.txtar", "ir/pass/testdata/*.txtar", "testdata/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if filepath.Ext(name) == ".ir" {
				f.Add(string(b))
				continue
			}
			for _, s := range txtar.Parse(b).Files {
				if strings.HasSuffix(s.Name, ".ir") {
					f.Add(string(s.Data))
				}
			}
		}
	}
	cases, err := forward.Table(".")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		if c.Domain == op.Microsoft {
			m, _ := forward.Module(forward.Weighted, c)
			f.Add(ir.Print(m))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := compile(text)
		if err != nil && strings.Contains(err.Error(), "BUG") {
			t.Error(err)
		}
	})
}
