package codegen_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/peerplan"
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
			plan, err := peerplan.Make(p, components(p))
			if err != nil {
				t.Fatal(err)
			}
			files, err := codegen.GeneratePartition(plan, codegen.Options{Package: "partition", Source: "main.go"})
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
func components(p *partitioner.Partition) map[string]peerplan.Component {
	out := map[string]peerplan.Component{}
	for _, s := range p.Slots {
		typ := strings.ToUpper(s.Role[:1]) + s.Role[1:]
		context := peerplan.Method{Context: s.Role == "model"}
		out[s.Name] = peerplan.Component{
			Package: "example.com/parts", Type: typ, Opens: true, Keeps: true,
			Value:   peerplan.Literal{Package: "example.com/parts", Type: typ},
			Methods: map[string]peerplan.Method{"TrainStep": context, "Forward": context},
		}
	}
	return out
}
