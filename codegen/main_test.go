package codegen_test

import (
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/golden"
)

// TestMains shows the programs around generated packages.
func TestMains(t *testing.T) {
	server := codegen.Target{Classes: []string{"server"}, Packages: []string{"example.com/p/server/partition"}}
	both := codegen.Target{Classes: []string{"client", "server"}, Packages: []string{"example.com/p/client/partition", "example.com/p/server/partition"}}
	golden.Run(t, "testdata/mains.txtar", func(t *testing.T, a *golden.Archive) {
		for _, c := range []struct {
			name  string
			print func() ([]byte, error)
		}{
			{"model", func() ([]byte, error) { return codegen.Main("example.com/m/model", codegen.Verbs{}) }},
			{"model that serves", func() ([]byte, error) {
				return codegen.Main("example.com/m/model", codegen.Verbs{Serve: true, Pprof: true})
			}},
			{"trainer", func() ([]byte, error) { return codegen.TrainMain("example.com/m/model", "train") }},
			{"trainer in stages", func() ([]byte, error) {
				return codegen.PipelineMain(codegen.Pipeline{Name: "lenet", Source: "lenet.onnx", Inputs: 1, ClipNorm: 0.5, Stages: []codegen.PipelineStage{
					{Package: "example.com/m/stage0", Inputs: []int{0}}, {Package: "example.com/m/stage1"},
				}})
			}},
			{"jobs", func() ([]byte, error) { return codegen.Harness([]string{"example.com/a", "", "example.com/b"}) }},
			{"peer", func() ([]byte, error) {
				return codegen.PeerMain("p", []string{"client", "server"}, server, []string{"libp2p", "tcp"})
			}},
			{"peer of two classes", func() ([]byte, error) {
				return codegen.PeerMain("p", []string{"client", "server"}, both, []string{"tcp"})
			}},
			{"simulation", func() ([]byte, error) { return codegen.SimMain("p", []codegen.Target{server, both}) }},
		} {
			b, err := c.print()
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			a.Check("out/"+c.name, string(b))
		}
	})
}
