package codegen_test

import (
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/codegen/peerplan/plantest"
	"github.com/bbgen/bbgen/internal/golden"
)

// packageNames are packages with a name that the path does not tell, or that generated code declares.
var packageNames = map[string]string{"example.com/peer": "peer", "example.com/votes/v2": "votes"}

// TestPartition tests the code of small programs. Components are in a fictitious package parts.
func TestPartition(t *testing.T) {
	golden.Run(t, "testdata/partition_*.txtar", func(t *testing.T, a *golden.Archive) {
		var files []codegen.File
		for _, part := range plantest.Program(t, a).Parts {
			p, err := peerplan.Make(part, plantest.Components(a, part))
			if err != nil {
				t.Fatal(err)
			}
			list, err := codegen.GeneratePartition(p, codegen.Options{Package: "partition", Source: "main.go", PackageNames: packageNames})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				files = append(files, codegen.NewFile(part.Class+"/"+f.Path, f.Bytes()))
			}
		}
		show(t, a, files)
	})
}
