package partitioner_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// FuzzMake cuts all programs that the passes accept: an invalid program is an error, and a cut program can be
// printed.
func FuzzMake(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			if x.Name == "in.ir" {
				f.Add(string(x.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ir.Parse("fuzz", text)
		if err != nil || ir.Verify(m) != nil || pass.Run(m, pass.Pipeline, nil) != nil {
			return
		}
		p, err := partitioner.Make(m, partitioner.Options{Unbound: true})
		if err == nil {
			partitioner.Print(p)
		}
	})
}
