package codegen_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestPartition shows what peers run of small programs. Components are of a
// package parts of nobody's; those of the role Model take a context.
func TestPartition(t *testing.T) {
	golden.Run(t, "testdata/partition_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse(a.Name, a.Get("in.ir"))
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		prog, err := partitioner.Make(m, partitioner.Options{Unbound: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range prog.Parts {
			files, err := codegen.GeneratePartition(p, codegen.PartitionOptions{Package: "partition", Source: "main.go", Components: components(p)})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if name := p.Class + "/" + f.Path; a.Has("out/"+name) || a.Has("all") && strings.HasSuffix(name, ".go") {
					a.Check("out/"+name, string(f.Data))
				}
			}
		}
	})
}

// components are types that have what the slots of a partition need.
func components(p *partitioner.Partition) map[string]codegen.Component {
	out := map[string]codegen.Component{}
	for _, s := range p.Slots {
		typ := strings.ToUpper(s.Role[:1]) + s.Role[1:]
		context := codegen.Method{Context: s.Role == "model"}
		out[s.Name] = codegen.Component{
			Package: "example.com/parts", Type: typ, Opens: true, Keeps: true,
			Value:   codegen.Literal{Package: "example.com/parts", Type: typ},
			Methods: map[string]codegen.Method{"TrainStep": context, "Forward": context},
		}
	}
	return out
}
